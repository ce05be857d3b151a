// Calls into drivers, and what they wrote into their sinks read back.
#include "host/driver.hpp"

#include "host/log.hpp"

namespace cocoon {
namespace {

void append(void* text, const char* data, size_t len) { static_cast<std::string*>(text)->append(data, len); }

void log_for_plugin(void*, cocoon_log_level level, const char* message) {
  if (message == nullptr) return;
  switch (level) {
    case COCOON_LOG_DEBUG:
      return log(LogLevel::debug, message);
    case COCOON_LOG_INFO:
      return log(LogLevel::info, message);
    case COCOON_LOG_ERROR:
      return log(LogLevel::error, message);
    default:
      return log(LogLevel::warning, message);
  }
}

Error driver_error(const cocoon_driver& driver, cocoon_status status, const std::string& json) {
  if (Result<Error> error = parse_error(json)) return std::move(*error);
  return {status == COCOON_BAD_INPUT ? "bad_value" : "internal",
          "the driver failed with status " + std::to_string(status) + " and did not say why",
          driver.name,
          {}};
}

}  // namespace

const cocoon_host* plugin_host() {
  static const cocoon_host host = {sizeof(cocoon_host), COCOON_VERSION, nullptr, &log_for_plugin};
  return &host;
}

Result<DriverFacts> probe_driver(const cocoon_driver& driver, std::int32_t depth) {
  std::string json;
  const std::int32_t score = driver.probe(plugin_host(), depth, {&json, &append});
  Result<DriverFacts> facts = parse_driver_facts(json);
  if (!facts) {
    return fail("plugin_broken", "its probe wrote facts that cannot be read: " + facts.error().message, driver.name);
  }
  facts->name = driver.name;
  facts->score = score;
  return facts;
}

Result<Outcome> run_driver(const cocoon_driver& driver, std::string_view plan_json, const cocoon_run_io& io) {
  std::string json;
  const cocoon_status status = driver.run(plugin_host(), {plan_json.data(), plan_json.size()}, &io, {&json, &append});
  if (status != COCOON_OK) return Unexpected<Error>{driver_error(driver, status, json)};
  Result<Outcome> outcome = parse_outcome(json);
  if (!outcome) {
    return fail("plugin_broken", "wrote an outcome that cannot be read: " + outcome.error().message, driver.name);
  }
  return outcome;
}

}  // namespace cocoon
