// Reading and writing HTTP's texts.
#include "transport/http_text.hpp"

#include "plan/text.hpp"

#include <algorithm>

namespace cocoon::transport {
namespace {

std::optional<std::string> trimmed(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return std::string(trim(*text));
}

}  // namespace

std::optional<std::string> HttpRequest::header(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

HttpReply json_reply(int status, std::string json, std::vector<std::pair<std::string, std::string>> headers) {
  headers.emplace_back("Content-Type", "application/json");
  return {status, std::move(headers), std::move(json)};
}

HttpReply text_reply(int status, std::string text) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(text)};
}

void refuse(Exchange& exchange, int status, const std::string& message,
            std::vector<std::pair<std::string, std::string>> headers) {
  exchange.reply(json_reply(status, mcp::to_text(mcp::error_message(nullptr, {mcp::code_invalid_request, message, {}})),
                            std::move(headers)));
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::optional<std::string> query_value(std::string_view target, std::string_view name) {
  const std::size_t question = target.find('?');
  std::string_view query = question == std::string_view::npos ? "" : target.substr(question + 1);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.starts_with(name) && part.size() > name.size() && part[name.size()] == '=')
      return std::string(part.substr(name.size() + 1));
  }
  return std::nullopt;
}

bool is_json(const std::optional<std::string>& content_type) {
  if (!content_type) return false;
  return lower(trim(std::string_view(*content_type).substr(0, content_type->find(';')))) == "application/json";
}

bool accepts(const std::optional<std::string>& accept, std::string_view media_type) {
  if (!accept) return true;
  std::string_view rest = *accept;
  const std::string_view family = media_type.substr(0, media_type.find('/'));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string name = lower(trim(item.substr(0, item.find(';'))));
    if (name == media_type || name == "*/*" || name == std::string(family) + "/*") return true;
  }
  return false;
}

mcp::HttpHeaders protocol_headers(const HttpRequest& request) {
  constexpr std::string_view prefix = "mcp-param-";
  mcp::HttpHeaders headers;
  headers.protocol_version = trimmed(request.header("mcp-protocol-version"));
  headers.method = trimmed(request.header("mcp-method"));
  headers.name = trimmed(request.header("mcp-name"));
  for (const auto& [name, value] : request.headers)
    if (name.starts_with(prefix)) headers.params.emplace_back(name.substr(prefix.size()), trim(value));
  return headers;
}

std::string metric(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
  return "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " + std::string(name) + " " +
         std::string(type) + "\n" + std::string(name) + " " + std::to_string(value) + "\n";
}

}  // namespace cocoon::transport
