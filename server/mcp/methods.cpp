// The protocol's methods: those that are answered at once from the catalog, and those that make work.
#include "mcp/levels.hpp"
#include "mcp/protocol.hpp"

#include <charconv>
#include <utility>

namespace cocoon::mcp {
namespace {

RpcError bad_params(std::string message) { return {code_bad_params, std::move(message), {}}; }

// A cursor is opaque to clients. Some begin with an empty one.
std::optional<std::size_t> read_cursor(const Json& params, std::size_t size) {
  const Json* cursor = find(params, "cursor");
  if (cursor == nullptr) return 0;
  if (!cursor->is_string()) return std::nullopt;
  const std::string& text = cursor->get_ref<const std::string&>();
  if (text.empty()) return 0;
  std::size_t from = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("at-")) return std::nullopt;
  const auto [rest, error] = std::from_chars(text.data() + 3, end, from);
  if (error != std::errc() || rest != end || from == 0 || from >= size) return std::nullopt;
  return from;
}

}  // namespace

template <typename Entry, typename Write>
Json Protocol::page(const char* key, const std::vector<Entry>& entries, const Json& params, const Context& context,
                    Write write, std::optional<RpcError>& error) const {
  const std::optional<std::size_t> from = read_cursor(params, entries.size());
  if (!from) {
    error = bad_params("the cursor is not one that this server gave out");
    return {};
  }
  Json result = {{key, Json::array()}};
  const std::size_t end = std::min(entries.size(), *from + catalog_.page_size);
  for (std::size_t i = *from; i < end; ++i) result[key].push_back(write(entries[i]));
  if (end < entries.size()) result["nextCursor"] = "at-" + std::to_string(end);
  return completed(std::move(result), context, true);
}

// What every result of 2026-07-28 has beside what it is about.
Json Protocol::completed(Json result, const Context& context, bool may_be_cached) const {
  if (!is_modern(context.version)) return result;
  if (!result.contains("resultType")) result["resultType"] = "complete";
  if (may_be_cached) {
    result["ttlMs"] = catalog_.ttl_ms;
    result["cacheScope"] = "private";
  }
  result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info_json(catalog_, context.version);
  return result;
}

Json Protocol::initialize(const Json& params) {
  const std::optional<Version> asked = parse_version(text_of(params, "protocolVersion"));
  // Who asks for what we don't know, or for what has no initialize any more, hears the last that we could agree on.
  version_ = asked && !is_modern(*asked) ? *asked : latest_legacy;
  capabilities_ = Json::object();
  if (const Json* given = find(params, "capabilities"); given != nullptr && given->is_object()) capabilities_ = *given;
  Json result = {{"protocolVersion", to_string(*version_)},
                 {"capabilities", capabilities_json(catalog_, *version_)},
                 {"serverInfo", server_info_json(catalog_, *version_)}};
  if (!catalog_.instructions.empty()) result["instructions"] = catalog_.instructions;
  return result;
}

Json Protocol::discover() const {
  Json result = {{"supportedVersions", Json::array({to_string(Version::v2026_07_28)})},
                 {"capabilities", capabilities_json(catalog_, Version::v2026_07_28)}};
  if (!catalog_.instructions.empty()) result["instructions"] = catalog_.instructions;
  return result;
}

std::optional<Json> Protocol::answer_at_once(const Message& message, const Context& context,
                                             std::optional<RpcError>& error) {
  const std::string& method = message.method;
  const Version version = context.version;
  if (method == "tools/list" && !catalog_.tools.empty())
    return page(
        "tools", catalog_.tools, message.params, context, [&](const Tool& t) { return to_json(t, version); }, error);
  const bool has_resources = !catalog_.resources.empty() || !catalog_.templates.empty();
  if (method == "resources/list" && has_resources)
    return page(
        "resources", catalog_.resources, message.params, context,
        [&](const Resource& r) { return to_json(r, version, false); }, error);
  if (method == "resources/templates/list" && has_resources)
    return page(
        "resourceTemplates", catalog_.templates, message.params, context,
        [&](const Resource& r) { return to_json(r, version, true); }, error);
  if (method == "prompts/list" && !catalog_.prompts.empty())
    return page(
        "prompts", catalog_.prompts, message.params, context, [&](const Prompt& p) { return to_json(p, version); },
        error);
  if (is_modern(version)) {
    if (method == "server/discover") return completed(discover(), context, true);
    return std::nullopt;
  }
  if (method == "initialize") return initialize(message.params);
  if (method == "ping") return Json::object();
  if (method == "logging/setLevel" && catalog_.logging) {
    const std::string level = text_of(message.params, "level");
    if (!is_level(level)) {
      error = bad_params("the log level is not known");
    } else {
      log_level_ = level;
    }
    return Json::object();
  }
  if (catalog_.list_changed && (method == "resources/subscribe" || method == "resources/unsubscribe")) {
    if (text_of(message.params, "uri").empty()) error = bad_params("\"uri\" is missing");
    return Json::object();
  }
  return std::nullopt;
}

std::optional<RpcError> Protocol::make_work(const Message& message, const Context&, Work& work) const {
  const std::string& method = message.method;
  const Json& params = message.params;
  const bool has_resources = !catalog_.resources.empty() || !catalog_.templates.empty();
  const Json* arguments = find(params, "arguments");
  work.arguments = arguments == nullptr || arguments->is_null() ? Json::object() : *arguments;
  if (method == "tools/call" && !catalog_.tools.empty()) {
    work.kind = WorkKind::call_tool;
    work.name = text_of(params, "name");
    if (work.name.empty()) return bad_params("\"name\" of the tool is missing");
    if (catalog_.tool(work.name) == nullptr) return bad_params("there is no tool \"" + work.name.substr(0, 100) + "\"");
    if (!work.arguments.is_object()) return bad_params("\"arguments\" is not an object");
    return std::nullopt;
  }
  if (method == "resources/read" && has_resources) {
    work.kind = WorkKind::read_resource;
    work.name = text_of(params, "uri");
    if (work.name.empty()) return bad_params("\"uri\" is missing");
    return std::nullopt;
  }
  if (method == "prompts/get" && !catalog_.prompts.empty()) {
    work.kind = WorkKind::get_prompt;
    work.name = text_of(params, "name");
    if (!work.arguments.is_object()) return bad_params("\"arguments\" is not an object");
    for (const Prompt& prompt : catalog_.prompts)
      if (prompt.name == work.name) return std::nullopt;
    return bad_params("there is no prompt \"" + work.name.substr(0, 100) + "\"");
  }
  if (method == "completion/complete" && catalog_.completions) {
    work.kind = WorkKind::complete;
    work.arguments = params;
    const Json* ref = find(params, "ref");
    const Json* argument = find(params, "argument");
    if (ref == nullptr || argument == nullptr || text_of(*argument, "name").empty())
      return bad_params("\"ref\" and \"argument\" with its \"name\" are needed");
    return std::nullopt;
  }
  return RpcError{code_no_method, "there is no method \"" + method.substr(0, 100) + "\"", {}};
}

}  // namespace cocoon::mcp
