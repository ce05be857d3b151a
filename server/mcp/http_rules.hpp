// What the protocol says about HTTP requests, as pure functions: which era one belongs to, and whether its headers say
// the same as its body.
#pragma once

#include "mcp/catalog.hpp"
#include "mcp/rpc.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon::mcp {

// The headers of a request that the protocol knows, trimmed; names in lower case.
struct HttpHeaders {
  std::optional<std::string> protocol_version;              // MCP-Protocol-Version
  std::optional<std::string> method;                        // Mcp-Method
  std::optional<std::string> name;                          // Mcp-Name
  std::vector<std::pair<std::string, std::string>> params;  // Mcp-Param-NAME: "name" -> value
};

// Whether a message says by itself which revision it speaks, as all do since 2026-07-28.
bool claims_version(const Json& message);

// Why a request that claims a version can't be what its headers say; nothing: all is well.
std::optional<RpcError> check_modern_headers(const HttpHeaders& headers, const Message& message,
                                             const Catalog& catalog);

// Likewise for a message that does not claim one.
std::optional<RpcError> check_legacy_headers(const HttpHeaders& headers, const Message& message);

// The status of a response that carries one answer.
int http_status(int error_code, bool is_rejected, bool is_modern);

// "=?base64?...?=" decoded, anything else as it is; nothing where it is malformed.
std::optional<std::string> decoded_header(std::string_view value);

}  // namespace cocoon::mcp
