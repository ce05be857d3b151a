// The quick way through JSON that our own programs write: plain ASCII, simple escapes, whole or short fractional numbers.
#pragma once

#include "json_reader.hpp"

#include <optional>
#include <string_view>

namespace cocoon::json {

// The value of a text in that subset, exactly as the full parser reads it; nothing for any other text, well-formed or
// not: the full parser then decides. A run hands three such texts from hand to hand before its program starts, and
// the full parser took longer over them than the kernel over the sandbox's mounts.
std::optional<Value> parse_quickly(std::string_view text);

}  // namespace cocoon::json
