// The rules of 2026-07-28 about headers: a proxy may rely on them, so they have to agree with the body.
#include "mcp/http_rules.hpp"

#include "mcp/base64.hpp"

#include <algorithm>
#include <charconv>

namespace cocoon::mcp {
namespace {

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";

RpcError mismatch(std::string what) { return {code_header_mismatch, std::move(what), {}}; }

std::optional<RpcError> compare(const std::optional<std::string>& header, std::string_view expected,
                                std::string_view name, bool encoded) {
  if (!header) return mismatch("the header " + std::string(name) + " is missing");
  const std::optional<std::string> value = encoded ? decoded_header(*header) : header;
  if (!value || *value != expected)
    return mismatch("the header " + std::string(name) + " does not say the same as the body");
  return std::nullopt;
}

// What Mcp-Name repeats: the name of what is called, or the address of what is read.
const char* named_by(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : nullptr;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

bool same_number(const std::string& header, double body) {
  double value = 0;
  const char* const end = header.data() + header.size();
  const auto [rest, error] = std::from_chars(header.data(), end, value);
  return error == std::errc() && rest == end && value == body;
}

bool same_value(const std::string& header, const Json& body) {
  const std::optional<std::string> value = decoded_header(header);
  if (!value) return false;
  if (body.is_string()) return *value == body.get_ref<const std::string&>();
  if (body.is_boolean()) return *value == (body.get<bool>() ? "true" : "false");
  return body.is_number() && same_number(*value, body.get<double>());
}

// Arguments that a tool's schema marks with x-mcp-header are repeated as headers.
std::optional<RpcError> check_params(  // NOLINT(misc-no-recursion): as deep as our own schemas
    const HttpHeaders& headers, const Json& schema, const Json* arguments) {
  const Json* properties = find(schema, "properties");
  if (properties == nullptr) return std::nullopt;
  for (const auto& [name, property] : properties->items()) {
    const Json* value = arguments == nullptr ? nullptr : find(*arguments, name);
    if (const std::string header = lower(text_of(property, "x-mcp-header")); !header.empty()) {
      const auto found = std::find_if(headers.params.begin(), headers.params.end(),
                                      [&](const auto& param) { return param.first == header; });
      const bool in_body = value != nullptr && !value->is_null();
      const bool in_headers = found != headers.params.end();
      if (in_body != in_headers || (in_body && !same_value(found->second, *value)))
        return mismatch("the header Mcp-Param-" + text_of(property, "x-mcp-header") +
                        " does not say the same as the body");
    }
    if (auto error = check_params(headers, property, value)) return error;
  }
  return std::nullopt;
}

}  // namespace

bool claims_version(const Json& message) {
  const Json* params = find(message, "params");
  const Json* meta = params == nullptr ? nullptr : find(*params, "_meta");
  return meta != nullptr && find(*meta, version_key) != nullptr;
}

std::optional<RpcError> check_modern_headers(const HttpHeaders& headers, const Message& message,
                                             const Catalog& catalog) {
  const std::string version = text_of(*find(message.params, "_meta"), version_key);
  if (auto error = compare(headers.protocol_version, version, "MCP-Protocol-Version", false)) return error;
  if (auto error = compare(headers.method, message.method, "Mcp-Method", false)) return error;
  const char* key = named_by(message.method);
  if (key == nullptr) return std::nullopt;
  const std::string name = text_of(message.params, key);
  // A body without it is refused for that.
  if (name.empty()) return std::nullopt;
  if (auto error = compare(headers.name, name, "Mcp-Name", true)) return error;
  if (const Tool* tool = message.method == "tools/call" ? catalog.tool(name) : nullptr)
    return check_params(headers, tool->input_schema, find(message.params, "arguments"));
  return std::nullopt;
}

std::optional<RpcError> check_legacy_headers(const HttpHeaders& headers, const Message& message) {
  if (!headers.protocol_version) return std::nullopt;
  const std::optional<Version> version = parse_version(*headers.protocol_version);
  if (!version)
    return RpcError{
        code_invalid_request, "MCP-Protocol-Version is \"" + *headers.protocol_version + "\", which is not known", {}};
  if (!is_modern(*version)) return std::nullopt;
  if (message.method == "initialize")
    return mismatch("initialize is not a method of the revision that MCP-Protocol-Version names");
  if (message.kind == MessageKind::request)
    return RpcError{code_bad_params, "params._meta has no \"" + std::string(version_key) + "\"", {}};
  return std::nullopt;
}

int http_status(int error_code, bool is_rejected, bool is_modern) {
  if (error_code == 0) return 200;
  if (error_code == code_header_mismatch || error_code == code_missing_capability ||
      error_code == code_unsupported_version || is_rejected)
    return 400;
  return is_modern && error_code == code_no_method ? 404 : 200;
}

std::optional<std::string> decoded_header(std::string_view value) {
  constexpr std::string_view begin = "=?base64?";
  constexpr std::string_view end = "?=";
  if (!value.starts_with(begin) || !value.ends_with(end) || value.size() < begin.size() + end.size())
    return std::string(value);
  return from_base64(value.substr(begin.size(), value.size() - begin.size() - end.size()));
}

}  // namespace cocoon::mcp
