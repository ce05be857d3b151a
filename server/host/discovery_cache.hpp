// Remembers on disk what discovery commands answered.
#pragma once

#include "plan/facts.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cocoon {

// key holds everything on which the answer depends, on one line. Nothing where there is no answer for it, the cache is unusable, or
// somebody else, a guest in one of guest_folders too, could have written it; also where the interpreter has been replaced since.
std::optional<Interpreter> cached_interpreter(std::string_view runtime, std::string_view key,
                                              std::span<const std::string> guest_folders);

// Best effort: without a usable cache, the next run asks the interpreter again.
void cache_interpreter(std::string_view runtime, std::string_view key, const Interpreter& interpreter,
                       std::span<const std::string> guest_folders);

}  // namespace cocoon
