// The C++ face of abi.h, header-only: COCOON_RUNTIME and COCOON_DRIVER turn data, or two functions, into a plugin.
//
// A runtime made this way is plain C data and needs no symbol of the C++ library. A driver links cocoon::sdk for the
// value types' JSON; its functions may throw, and no exception leaves the plugin.
#pragma once

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>
#include <cocoon/result.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#ifndef COCOON_PLUGIN_VERSION
#define COCOON_PLUGIN_VERSION "0"
#endif

namespace cocoon {

// What the program that loaded the driver offers, for the duration of one call.
class Host {
 public:
  explicit Host(const cocoon_host* host) : host_(host) {}

  // [any thread] One line without a newline.
  void log(cocoon_log_level level, const std::string& message) const {
    if (host_ != nullptr && COCOON_HAS(cocoon_host, host_, log) && host_->log != nullptr) {
      host_->log(host_->ctx, level, message.c_str());
    }
  }

  const cocoon_host* raw() const { return host_; }

 private:
  const cocoon_host* host_;
};

// Returns the score and fills facts_json, as cocoon_driver::probe asks. depth is COCOON_PROBE_*.
using DriverProbe = std::int32_t (*)(const Host& host, std::int32_t depth, std::string& facts_json);

// Runs the plan and returns once nothing of it is left. An Error says why this host could not even try.
using DriverRun = Result<Outcome> (*)(const Host& host, const Plan& plan, const cocoon_run_io& io);

#if defined(__cpp_exceptions)
namespace detail {

inline void put(cocoon_sink sink, std::string_view text) {
  if (sink.write != nullptr) sink.write(sink.ctx, text.data(), text.size());
}

inline cocoon_status escaped(cocoon_sink sink, const char* what) noexcept {
  try {
    put(sink, error_json({"internal", std::string("the driver failed: ") + what, {}, {}}));
  } catch (...) {  // no memory even for the message
    put(sink, R"({"code":"internal","message":"the driver ran out of memory"})");
  }
  return COCOON_INTERNAL;
}

template <DriverProbe probe>
std::int32_t probe_thunk(const cocoon_host* host, std::int32_t depth, cocoon_sink facts_json) noexcept {
  try {
    std::string facts;
    const std::int32_t score = probe(Host(host), depth, facts);
    put(facts_json, facts);
    return score;
  } catch (const std::exception& e) {
    Host(host).log(COCOON_LOG_ERROR, e.what());
  } catch (...) {
    Host(host).log(COCOON_LOG_ERROR, "a probe threw something that is no exception");
  }
  return 0;
}

template <DriverRun run>
cocoon_status run_thunk(const cocoon_host* host, cocoon_str plan_json, const cocoon_run_io* io,
                        cocoon_sink outcome_json) noexcept {
  try {
    const Result<Plan> plan = parse_plan({plan_json.data, plan_json.len});
    if (!plan) return put(outcome_json, error_json(plan.error())), COCOON_BAD_INPUT;
    const Result<Outcome> outcome = run(Host(host), *plan, *io);
    if (!outcome) return put(outcome_json, error_json(outcome.error())), COCOON_UNAVAILABLE;
    return put(outcome_json, to_json(*outcome)), COCOON_OK;
  } catch (const std::exception& e) {
    return escaped(outcome_json, e.what());
  } catch (...) {
    return escaped(outcome_json, "something that is no exception was thrown");
  }
}

}  // namespace detail
#endif

}  // namespace cocoon

// Linked statically, a plugin's entry function has a name of its own, the value of COCOON_STATIC_PLUGIN, and is not
// exported: the program lists such functions in a table.
#ifdef COCOON_STATIC_PLUGIN
#define COCOON_DEFINE_ENTRY(data)                             \
  extern "C" const cocoon_plugin* COCOON_STATIC_PLUGIN(void); \
  const cocoon_plugin* COCOON_STATIC_PLUGIN(void) { return &(data); }
#else
#define COCOON_DEFINE_ENTRY(data) \
  const cocoon_plugin* cocoon_plugin_v1(void) { return &(data); }
#endif

// Both are string literals: the plugin's name, equal to its file name without the suffix, and its preset.
#define COCOON_RUNTIME(name, preset_json)                                                              \
  static const cocoon_runtime cocoon_runtime_data = {sizeof(cocoon_runtime), "" name, "" preset_json}; \
  static const cocoon_plugin cocoon_plugin_data = {sizeof(cocoon_plugin), "" COCOON_PLUGIN_VERSION,    \
                                                   &cocoon_runtime_data, nullptr};                     \
  COCOON_DEFINE_ENTRY(cocoon_plugin_data)

// A string literal as above, a DriverProbe and a DriverRun.
#define COCOON_DRIVER(name, probe, run)                                                                      \
  static const cocoon_driver cocoon_driver_data = {                                                          \
      sizeof(cocoon_driver), "" name, &cocoon::detail::probe_thunk<probe>, &cocoon::detail::run_thunk<run>}; \
  static const cocoon_plugin cocoon_plugin_data = {sizeof(cocoon_plugin), "" COCOON_PLUGIN_VERSION, nullptr, \
                                                   &cocoon_driver_data};                                     \
  COCOON_DEFINE_ENTRY(cocoon_plugin_data)
