// From a text to what is to be done: parsing, the era of each message, and the life of the works it starts.
#include "mcp/protocol.hpp"

#include "mcp/levels.hpp"

#include <utility>

namespace cocoon::mcp {
namespace {

constexpr std::size_t longest_batch = 100;
constexpr std::string_view meta_prefix = "io.modelcontextprotocol/";

const Json* meta_of(const Json& params, std::string_view name) {
  const Json* meta = find(params, "_meta");
  return meta == nullptr ? nullptr : find(*meta, std::string(meta_prefix).append(name));
}

Outgoing rejection(const Json& id, const RpcError& error, bool modern = false) {
  return {0, to_text(error_message(id, error)), true, error.code, true, modern};
}

Outgoing answer(const Json& id, Json result, bool modern) {
  return {0, to_text(result_message(id, std::move(result))), true, 0, false, modern};
}

}  // namespace

Effects Protocol::receive(Result<Json> json, const HttpHeaders* headers) {
  Effects effects;
  if (!json) {
    effects.send.push_back(rejection(nullptr, {code_parse, "the message " + json.error().message, {}}));
  } else if (json->is_array()) {
    receive_batch(std::move(*json), headers, effects);
  } else {
    receive_one(std::move(*json), headers, false, effects);
  }
  return effects;
}

void Protocol::receive_batch(Json&& batch, const HttpHeaders* headers, Effects& effects) {
  if (!has_batches(version_.value_or(latest_legacy)) || batch.empty() || batch.size() > longest_batch) {
    const char* why = batch.empty() ? "a batch is not empty" : "this protocol revision knows no batches this large";
    effects.send.push_back(rejection(nullptr, {code_invalid_request, why, {}}));
    return;
  }
  for (Json& json : batch) receive_one(std::move(json), headers, true, effects);
}

void Protocol::receive_one(Json&& json, const HttpHeaders* headers, bool in_batch, Effects& effects) {
  const bool modern = !in_batch && claims_version(json);
  const Message message = read_message(std::move(json));
  if (message.kind == MessageKind::invalid) {
    effects.send.push_back(rejection(message.id, *message.error));
    return;
  }
  if (message.kind == MessageKind::response) return;  // to a question that nobody asked
  if (headers != nullptr) {
    const std::optional<RpcError> error =
        modern ? check_modern_headers(*headers, message, catalog_) : check_legacy_headers(*headers, message);
    if (error) {
      effects.send.push_back(rejection(message.id, *error, modern));
      return;
    }
  }
  if (message.kind == MessageKind::notification) return notified(message, effects);
  if (in_batch && message.method == "initialize") {
    effects.send.push_back(rejection(message.id, {code_invalid_request, "initialize comes alone", {}}));
    return;
  }
  Context context{version_.value_or(latest_legacy), capabilities_, log_level_};
  if (modern) {
    context = Context{Version::v2026_07_28, {}, {}};
    if (const std::optional<RpcError> error = read_context(message, context)) {
      effects.send.push_back(rejection(message.id, *error, true));
      return;
    }
  }
  request(message, context, effects);
}

// A request of 2026-07-28 says all about itself, and nothing of it is remembered.
std::optional<RpcError> Protocol::read_context(const Message& message, Context& context) const {
  const Json* version = meta_of(message.params, "protocolVersion");
  if (!version->is_string()) return RpcError{code_bad_params, "the protocol version is not a string", {}};
  if (*version != std::string(to_string(Version::v2026_07_28)))
    return RpcError{code_unsupported_version,
                    "this protocol version is not supported",
                    {{"supported", Json::array({to_string(Version::v2026_07_28)})}, {"requested", *version}}};
  const Json* capabilities = meta_of(message.params, "clientCapabilities");
  if (capabilities == nullptr || !capabilities->is_object())
    return RpcError{code_bad_params, "params._meta has no object \"io.modelcontextprotocol/clientCapabilities\"", {}};
  context.capabilities = *capabilities;
  if (const Json* level = meta_of(message.params, "logLevel")) {
    if (!level->is_string() || !is_level(level->get_ref<const std::string&>()))
      return RpcError{code_bad_params, "the log level is not known", {}};
    context.log_level = level->get<std::string>();
  }
  return std::nullopt;
}

void Protocol::request(const Message& message, const Context& context, Effects& effects) {
  const bool modern = is_modern(context.version);
  if (calls_by_id_.contains(id_key(message.id))) {
    effects.send.push_back(rejection(message.id, {code_invalid_request, "a request of this id goes on", {}}, modern));
    return;
  }
  std::optional<RpcError> error;
  if (std::optional<Json> result = answer_at_once(message, context, error); result && !error) {
    effects.opened = effects.opened || message.method == "initialize";
    effects.send.push_back(answer(message.id, std::move(*result), modern));
    return;
  }
  Work work;
  if (!error) error = make_work(message, context, work);
  if (error) {
    effects.send.push_back({0, to_text(error_message(message.id, *error)), true, error->code, false, modern});
    return;
  }
  start(message, context, std::move(work), effects);
}

void Protocol::start(const Message& message, const Context& context, Work work, Effects& effects) {
  work.call = ++calls_;
  work.version = context.version;
  work.client_capabilities = context.capabilities;
  if (const Json* responses = find(message.params, "inputResponses")) work.input_responses = *responses;
  work.request_state = text_of(message.params, "requestState");
  InFlight flight{message.id, work.kind, work.name, {}, {}, context};
  if (const Json* meta = find(message.params, "_meta")) {
    const Json* token = find(*meta, "progressToken");
    if (token != nullptr && (token->is_string() || token->is_number_integer())) flight.progress_token = *token;
  }
  work.wants_progress = !flight.progress_token.is_null();
  calls_by_id_.emplace(id_key(message.id), work.call);
  in_flight_.emplace(work.call, std::move(flight));
  effects.start.push_back(std::move(work));
}

void Protocol::notified(const Message& message, Effects& effects) {
  if (message.method != "notifications/cancelled") return;
  const Json* id = find(message.params, "requestId");
  const auto found = id == nullptr ? calls_by_id_.end() : calls_by_id_.find(id_key(*id));
  if (found == calls_by_id_.end()) return;  // it may just have ended
  Effects gone = abandon(found->second);
  effects.cancel.insert(effects.cancel.end(), gone.cancel.begin(), gone.cancel.end());
}

Effects Protocol::abandon(std::uint64_t call) {
  Effects effects;
  const auto found = in_flight_.find(call);
  if (found == in_flight_.end()) return effects;
  calls_by_id_.erase(id_key(found->second.id));
  in_flight_.erase(found);
  effects.cancel.push_back(call);
  return effects;
}

Effects Protocol::close() {
  Effects effects;
  for (const auto& [call, flight] : in_flight_) effects.cancel.push_back(call);
  in_flight_.clear();
  calls_by_id_.clear();
  return effects;
}

Effects Protocol::progress(std::uint64_t call, double value, std::optional<double> total, const std::string& message) {
  Effects effects;
  const auto found = in_flight_.find(call);
  if (found == in_flight_.end() || found->second.progress_token.is_null()) return effects;
  InFlight& flight = found->second;
  if (flight.last_progress && value <= *flight.last_progress) return effects;
  flight.last_progress = value;
  Json params = {{"progressToken", flight.progress_token}, {"progress", value}};
  if (total) params["total"] = *total;
  if (!message.empty() && has_annotations(flight.context.version)) params["message"] = message;
  effects.send.push_back({call, to_text(notification("notifications/progress", std::move(params))), false, 0, false,
                          is_modern(flight.context.version)});
  return effects;
}

Effects Protocol::log(std::uint64_t call, std::string_view level, const Json& data) {
  Effects effects;
  const auto found = in_flight_.find(call);
  if (found == in_flight_.end()) return effects;
  const InFlight& flight = found->second;
  const std::string& wanted = is_modern(flight.context.version) ? flight.context.log_level : log_level_;
  if (!reaches_level(level, wanted)) return effects;
  Json params = {{"level", level}, {"logger", catalog_.server_name}, {"data", data}};
  effects.send.push_back({call, to_text(notification("notifications/message", std::move(params))), false, 0, false,
                          is_modern(flight.context.version)});
  return effects;
}

Effects Protocol::finish(std::uint64_t call, Reply reply) {
  Effects effects;
  const auto found = in_flight_.find(call);
  if (found == in_flight_.end()) return effects;  // cancelled: nobody waits for it
  const InFlight flight = std::move(found->second);
  in_flight_.erase(found);
  calls_by_id_.erase(id_key(flight.id));
  const Version version = flight.context.version;
  if (reply.error) {
    RpcError& error = *reply.error;
    if (error.code == code_no_resource && is_modern(version)) error.code = code_bad_params;
    effects.send.push_back(
        {call, to_text(error_message(flight.id, error)), true, error.code, false, is_modern(version)});
    return effects;
  }
  if (flight.kind == WorkKind::call_tool && !has_structured_content(version)) {
    reply.result.erase("structuredContent");
    if (Json* content = const_cast<Json*>(find(reply.result, "content")); content != nullptr) {
      for (auto it = content->begin(); it != content->end();)
        it = text_of(*it, "type") == "resource_link" ? content->erase(it) : it + 1;
    }
  }
  Json result = completed(std::move(reply.result), flight.context, flight.kind == WorkKind::read_resource);
  Outgoing last = answer(flight.id, std::move(result), is_modern(version));
  last.call = call;
  effects.send.push_back(std::move(last));
  return effects;
}

}  // namespace cocoon::mcp
