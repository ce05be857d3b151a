// What the program tells about its own doings, on standard error. Silent below "warning" unless asked.
#pragma once

#include <cocoon/result.hpp>

#include <cstdint>
#include <string_view>

namespace cocoon {

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };

// "debug", "info", "warning", "error" or "off".
Result<void> set_log_level(std::string_view name, std::string_view where);

// Lets a caller skip the work of making a message that nobody would see.
bool log_enabled(LogLevel level);

// [any thread] One line. Nothing of the logger exists until the first message that is shown.
void log(LogLevel level, std::string_view message);

}  // namespace cocoon
