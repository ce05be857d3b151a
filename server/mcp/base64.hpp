// Base64 (RFC 4648) of bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cocoon::mcp {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  // nothing where it is malformed

}  // namespace cocoon::mcp
