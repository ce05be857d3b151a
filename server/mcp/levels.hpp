// The protocol's levels of log messages, from chatty to fatal.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace cocoon::mcp {

inline constexpr std::array<std::string_view, 8> level_names = {"debug", "info",     "notice", "warning",
                                                                "error", "critical", "alert",  "emergency"};

inline bool is_level(std::string_view name) {
  return std::find(level_names.begin(), level_names.end(), name) != level_names.end();
}

// Whether a message of level is shown to who wants wanted and above; an empty one wants nothing.
inline bool reaches_level(std::string_view level, std::string_view wanted) {
  if (wanted.empty()) return false;
  return std::find(level_names.begin(), level_names.end(), level) >=
         std::find(level_names.begin(), level_names.end(), wanted);
}

}  // namespace cocoon::mcp
