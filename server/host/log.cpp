// The logger behind log.hpp. The one file that knows spdlog: its headers are heavy, and its start-up is not free.
#include "host/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <string>

namespace cocoon {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warning", "error", "off"};

std::atomic<LogLevel> threshold = LogLevel::warning;

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      break;
  }
  return spdlog::level::off;
}

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    // Standard error, always: standard output belongs to the guest or to a protocol.
    spdlog::logger made("cocoon", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_level(spdlog::level::trace);
    made.set_pattern("cocoon: %^%l%$: %v");
    return made;
  }();
  return instance;
}

}  // namespace

Result<void> set_log_level(std::string_view name, std::string_view where) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      threshold = static_cast<LogLevel>(i);
      return {};
    }
  }
  return fail("bad_value", "unknown log level \"" + std::string(name) + "\"", std::string(where),
              "one of debug, info, warning, error, off");
}

bool log_enabled(LogLevel level) { return level >= threshold.load(std::memory_order_relaxed); }

void log(LogLevel level, std::string_view message) {
  if (!log_enabled(level)) return;
  try {
    logger().log(spdlog_level(level), spdlog::string_view_t(message.data(), message.size()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): a lost log line must not end a run
  }
}

}  // namespace cocoon
