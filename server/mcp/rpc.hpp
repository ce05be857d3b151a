// JSON-RPC: what kind of message a text is, and the messages that go back.
#pragma once

#include "mcp/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cocoon::mcp {

// Codes of JSON-RPC and of the protocol's own.
inline constexpr int code_parse = -32700;
inline constexpr int code_invalid_request = -32600;
inline constexpr int code_no_method = -32601;
inline constexpr int code_bad_params = -32602;
inline constexpr int code_internal = -32603;
inline constexpr int code_no_resource = -32002;  // until 2025-11-25; afterwards bad_params
inline constexpr int code_header_mismatch = -32020;
inline constexpr int code_missing_capability = -32021;
inline constexpr int code_unsupported_version = -32022;

struct RpcError {
  int code = code_internal;
  std::string message;
  Json data;  // null: none
};

enum class MessageKind : std::uint8_t { request, notification, response, invalid };

// One message, taken apart. What is invalid has its error, and its id where that can be told.
struct Message {  // NOLINT(bugprone-exception-escape): the check sees a throw behind the JSON value's noexcept move
  MessageKind kind = MessageKind::invalid;
  Json id;  // null: none
  std::string method;
  Json params;  // an object, or null: none
  Json result;  // of a response
  std::optional<RpcError> error;
};

Message read_message(Json&& json);

Json result_message(const Json& id, Json result);
Json error_message(const Json& id, const RpcError& error);  // without the id where that is null
Json notification(std::string_view method, Json params);
Json request_message(const Json& id, std::string_view method, Json params);

// What tells one id from every other: 1 and "1" are two.
std::string id_key(const Json& id);

}  // namespace cocoon::mcp
