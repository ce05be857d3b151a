// Which work goes where, and the works that run nothing.
#include "agent/agent.hpp"

#include "host/utf8_repair.hpp"
#include "mcp/base64.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <exception>

namespace cocoon::agent {
namespace {

using mcp::Json;
using mcp::Reply;

constexpr std::chrono::seconds info_is_fresh{60};
constexpr std::string_view runtime_prefix = "cocoon://docs/runtime/";

Reply refusal(const Error& error) {
  Outcome refused;
  refused.error = error;
  Reply reply;
  reply.result["content"] = Json::array({{{"type", "text"}, {"text", outcome_text(refused)}}});
  reply.result["isError"] = true;
  return reply;
}

Reply structured(Json json) {
  Reply reply;
  reply.result["content"] = Json::array({{{"type", "text"}, {"text", mcp::to_text(json)}}});
  reply.result["structuredContent"] = std::move(json);
  return reply;
}

Reply no_resource(const std::string& uri) {
  return {{}, mcp::RpcError{mcp::code_no_resource, "there is no such resource", {{"uri", uri}}}};
}

Reply contents(const std::string& uri, const char* mime_type, const char* key, std::string data) {
  Reply reply;
  reply.result["contents"] = Json::array({{{"uri", uri}, {"mimeType", mime_type}, {key, std::move(data)}}});
  return reply;
}

// The part of a stream that a range names, ended on a character's border where it is text.
struct Part {
  std::string_view bytes;
  bool is_text;
};

Part part_of(const std::string& stream, std::size_t offset, std::size_t length) {
  const std::string_view rest = std::string_view(stream).substr(std::min(offset, stream.size()));
  std::string_view bytes = rest.substr(0, length);
  if (bytes.size() < rest.size()) {
    if (const std::string_view whole = without_cut_end(bytes); !whole.empty()) bytes = whole;
  }
  return {bytes, is_utf8(bytes)};
}

}  // namespace

Agent::Agent(const PluginOptions& plugins, OperatorPolicy policy, std::string current_folder,
             std::unique_ptr<Audit> audit)
    : policy_(std::move(policy)),
      current_folder_(std::move(current_folder)),
      engine_({plugins, policy_.limits, host_rules(policy_)}),
      audit_(std::move(audit)),
      outputs_(policy_.all_kept_output_bytes),
      catalog_(make_catalog(policy_, runtime_names())) {}

std::vector<std::string> Agent::runtime_names() {
  std::vector<std::string> names;
  for (const RuntimePlugin* plugin : engine_.plugins().runtimes())
    if (policy_.allows_runtime(plugin->name)) names.push_back(plugin->name);
  return names;
}

bool Agent::is_long(const mcp::Work& work) const {
  return work.kind == mcp::WorkKind::call_tool && (work.name == "run_in_sandbox" || work.name == "run_pipeline");
}

Reply Agent::perform(const mcp::Work& work, mcp::Observer& observer) {
  try {
    return dispatch(work, observer);
  } catch (const std::exception& e) {
    return {{}, mcp::RpcError{mcp::code_internal, std::string("internal error: ") + e.what(), {}}};
  }
}

Reply Agent::dispatch(const mcp::Work& work, mcp::Observer& observer) {
  switch (work.kind) {
    case mcp::WorkKind::read_resource:
      return read_resource(work.name);
    case mcp::WorkKind::complete:
      return complete(work.arguments);
    case mcp::WorkKind::get_prompt:
      break;
    case mcp::WorkKind::call_tool:
      if (work.name == "run_in_sandbox" || work.name == "run_pipeline") return run(work, observer);
      if (work.name == "read_output") return read_output(work.arguments);
      if (work.name == "sandbox_info") return sandbox_info();
      break;
  }
  return {{}, mcp::RpcError{mcp::code_bad_params, "there is no \"" + work.name + "\"", {}}};
}

Reply Agent::refuse_busy(const mcp::Work& work) {
  const Error error{"busy", "too many runs wait for their turn already", work.name,
                    "try again when others have ended; the operator allows " + std::to_string(policy_.concurrent_runs) +
                        " at once and " + std::to_string(policy_.queued_runs) + " waiting"};
  if (!is_long(work)) return refusal(error);
  Result<Request> request = parse_request(mcp::to_text(work.arguments));
  if (!request) return refuse(work, std::nullopt, error);
  return refuse(work, std::move(*request), error);
}

Reply Agent::read_output(const Json& arguments) {
  const std::string uri = mcp::text_of(arguments, "uri");
  std::optional<OutputRange> range = parse_output_uri(uri);
  if (!range)
    return refusal({"bad_value", "is not the address of an output", "uri", "full_stdout or full_stderr of a result"});
  for (const auto& [name, value] : arguments.items()) {
    const bool is_number = name == "offset" || name == "length";
    if (is_number && !value.is_number_unsigned()) return refusal({"bad_value", "must be a whole number", name, {}});
    if (name == "encoding" && value != "text" && value != "base64")
      return refusal({"bad_value", "is neither \"text\" nor \"base64\"", name, {}});
    if (!is_number && name != "uri" && name != "encoding") return refusal({"unknown_key", "is not known", name, {}});
    if (name == "offset") range->offset = value.get<std::size_t>();
    if (name == "length") range->length = value.get<std::size_t>();
  }
  const std::shared_ptr<const KeptOutput> kept = outputs_.find(range->id);
  if (kept == nullptr)
    return refusal({"expired", "this output is not kept any more", "uri", "run it again, and write less or to a file"});
  const std::string& stream = range->is_stderr ? kept->err : kept->out;
  const std::size_t most = std::max<std::size_t>(policy_.shown_output_bytes, 1);
  const Part part = part_of(stream, range->offset, std::clamp<std::size_t>(range->length.value_or(most), 1, most));
  const bool base64 = mcp::text_of(arguments, "encoding") == "base64";
  Json json = {{"data", base64 ? mcp::to_base64(part.bytes) : repair_utf8(part.bytes)}, {"offset", range->offset}};
  const std::size_t next = range->offset + part.bytes.size();
  if (next < stream.size()) json["next_offset"] = next;
  json["total_bytes"] = stream.size();
  return structured(std::move(json));
}

Reply Agent::sandbox_info() {
  const std::shared_ptr<const Info> now = info();
  Json json = {{"version", now->version}};
  if (!now->driver.empty()) json["driver"] = now->driver;
  Json& runtimes = json["runtimes"] = Json::array();
  for (const RuntimeInfo& runtime : now->runtimes) {
    if (!policy_.allows_runtime(runtime.name)) continue;
    Json entry = {{"name", runtime.name}, {"title", runtime.title}, {"available", runtime.interpreter.has_value()}};
    if (runtime.interpreter && !runtime.interpreter->version.empty()) entry["version"] = runtime.interpreter->version;
    if (runtime.error) entry["why_not"] = runtime.error->message;
    runtimes.push_back(std::move(entry));
  }
  if (!now->drivers.empty() && !now->driver.empty()) {
    Json& layers = json["isolation"] = Json::object();
    for (const DriverFacts::Layer& layer : now->drivers.front().facts.layers)
      layers[layer.name] = layer.available ? (layer.detail.empty() ? "yes" : layer.detail) : "missing: " + layer.detail;
  }
  json["policy"] = policy_json(policy_);
  return structured(std::move(json));
}

Reply Agent::read_resource(const std::string& uri) {
  if (uri == "cocoon://docs/sandbox") return contents(uri, "text/markdown", "text", sandbox_guide());
  if (uri == "cocoon://docs/policy") return contents(uri, "text/markdown", "text", policy_guide(policy_));
  if (uri == "cocoon://docs/runtimes")
    return contents(uri, "text/markdown", "text", runtimes_guide(*info(), policy_, {}));
  if (uri.starts_with(runtime_prefix)) {
    std::string text = runtimes_guide(*info(), policy_, uri.substr(runtime_prefix.size()));
    return text.empty() ? no_resource(uri) : contents(uri, "text/markdown", "text", std::move(text));
  }
  const std::optional<OutputRange> range = parse_output_uri(uri);
  const std::shared_ptr<const KeptOutput> kept = range ? outputs_.find(range->id) : nullptr;
  if (kept == nullptr) return no_resource(uri);
  const std::string& stream = range->is_stderr ? kept->err : kept->out;
  const Part part = part_of(stream, range->offset, range->length.value_or(stream.size()));
  return part.is_text ? contents(uri, "text/plain", "text", std::string(part.bytes))
                      : contents(uri, "application/octet-stream", "blob", mcp::to_base64(part.bytes));
}

Reply Agent::complete(const Json& params) {
  const Json& argument = params["argument"];
  const std::string begun = mcp::text_of(argument, "value");
  std::vector<std::string> candidates;
  if (mcp::text_of(argument, "name") == "runtime") candidates = runtime_names();
  if (mcp::text_of(argument, "name") == "stream") candidates = {"stdout", "stderr"};
  Json values = Json::array();
  for (const std::string& candidate : candidates)
    if (candidate.starts_with(begun) && values.size() < 100) values.push_back(candidate);
  Reply reply;
  const std::size_t total = values.size();
  reply.result["completion"] = {{"values", std::move(values)}, {"total", total}, {"hasMore", false}};
  return reply;
}

std::shared_ptr<const Info> Agent::info() {
  const std::lock_guard lock(info_mutex_);  // the first who asks pays; the others wait for the same answer
  const auto now = std::chrono::steady_clock::now();
  if (info_ == nullptr || now > info_until_) {
    info_ = std::make_shared<const Info>(gather_info(engine_.plugins(), COCOON_PROBE_THOROUGH, engine_.rules()));
    info_until_ = std::chrono::steady_clock::now() + info_is_fresh;
  }
  return info_;
}

}  // namespace cocoon::agent
