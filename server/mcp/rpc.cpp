// JSON-RPC 2.0, as strict as a receiver may be.
#include "mcp/rpc.hpp"

#include <utility>

namespace cocoon::mcp {
namespace {

bool is_id(const Json& json) { return json.is_string() || json.is_number_integer(); }

Message invalid(Json id, std::string why) {
  Message message;
  message.id = std::move(id);
  message.error = RpcError{code_invalid_request, std::move(why), {}};
  return message;
}

Message read_response(const Json& json, Json id) {
  Message message;
  message.id = std::move(id);
  const Json* result = find(json, "result");
  const Json* error = find(json, "error");
  if (message.id.is_null() || (result == nullptr) == (error == nullptr))
    return invalid(nullptr, "a message is a request with a method, or a response with an id and a result or an error");
  message.kind = MessageKind::response;
  if (result != nullptr) {
    message.result = *result;
  } else {
    const Json* code = find(*error, "code");
    message.error = RpcError{code != nullptr && code->is_number_integer() ? code->get<int>() : code_internal,
                             text_of(*error, "message"),
                             {}};
  }
  return message;
}

}  // namespace

Message read_message(Json&& json) {
  if (!json.is_object()) return invalid(nullptr, "a message is a JSON object");
  Json id;
  const Json* given_id = find(json, "id");
  if (given_id != nullptr && is_id(*given_id)) id = *given_id;
  if (text_of(json, "jsonrpc") != "2.0") return invalid(std::move(id), "\"jsonrpc\" is not \"2.0\"");
  const Json* method = find(json, "method");
  if (method == nullptr) return read_response(json, std::move(id));
  if (!method->is_string()) return invalid(std::move(id), "\"method\" is not a string");
  if (given_id != nullptr && id.is_null()) return invalid(nullptr, "an id is a string or a whole number");
  const Json* params = find(json, "params");
  if (params != nullptr && !params->is_object()) return invalid(std::move(id), "\"params\" is not an object");
  Message message;
  message.kind = given_id == nullptr ? MessageKind::notification : MessageKind::request;
  message.id = std::move(id);
  message.method = method->get<std::string>();
  if (params != nullptr) message.params = std::move(json["params"]);
  return message;
}

Json result_message(const Json& id, Json result) {
  Json json = {{"jsonrpc", "2.0"}, {"id", id}};
  json["result"] = std::move(result);
  return json;
}

Json error_message(const Json& id, const RpcError& error) {
  Json json = {{"jsonrpc", "2.0"}};
  // Clients of some SDKs throw away, or hang up on, an answer whose id is null.
  if (!id.is_null()) json["id"] = id;
  Json& body = json["error"] = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return json;
}

Json notification(std::string_view method, Json params) {
  Json json = {{"jsonrpc", "2.0"}, {"method", method}};
  json["params"] = std::move(params);
  return json;
}

Json request_message(const Json& id, std::string_view method, Json params) {
  Json json = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  json["params"] = std::move(params);
  return json;
}

std::string id_key(const Json& id) { return to_text(id); }

}  // namespace cocoon::mcp
