// Calls into drivers, and what they wrote into their sinks read back.
#include "host/driver.hpp"

#include "host/log.hpp"

namespace cocoon {
namespace {

// What a driver writes into a sink. It may be C: no exception passes through it.
struct Sink {
  std::string text;
  bool failed = false;  // there was no memory for some of it

  cocoon_sink sink() { return {this, &append}; }

  static void append(void* ctx, const char* data, size_t len) noexcept {
    Sink& sink = *static_cast<Sink*>(ctx);
    try {
      if (!sink.failed) sink.text.append(data, len);
    } catch (...) {
      sink.failed = true;
    }
  }
};

Unexpected<Error> lost_answer(const cocoon_driver& driver) {
  return fail("internal", "there was no memory for the driver's answer", driver.name);
}

void log_for_plugin(void*, cocoon_log_level level, const char* message) noexcept {
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
  Sink json;
  const std::int32_t score = driver.probe(plugin_host(), depth, json.sink());
  if (json.failed) return lost_answer(driver);
  Result<DriverFacts> facts = parse_driver_facts(json.text);
  if (!facts) {
    return fail("plugin_broken", "its probe wrote facts that cannot be read: " + facts.error().message, driver.name);
  }
  facts->name = driver.name;
  facts->score = score;
  return facts;
}

Result<Outcome> run_driver(const cocoon_driver& driver, std::string_view plan_json, const cocoon_run_io& io) {
  Sink json;
  const cocoon_status status = driver.run(plugin_host(), {plan_json.data(), plan_json.size()}, &io, json.sink());
  if (json.failed) return lost_answer(driver);
  if (status != COCOON_OK) return Unexpected<Error>{driver_error(driver, status, json.text)};
  Result<Outcome> outcome = parse_outcome(json.text);
  if (!outcome) {
    return fail("plugin_broken", "wrote an outcome that cannot be read: " + outcome.error().message, driver.name);
  }
  return outcome;
}

}  // namespace cocoon
