// The linux driver as a plugin: the C ABI on the outside, Plan and Outcome on the inside, no exception across.
#include "probe.hpp"
#include "run.hpp"

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

#include <algorithm>
#include <exception>
#include <string_view>

namespace {

using cocoon::Error;

void write_to(cocoon_sink sink, std::string_view text) { sink.write(sink.ctx, text.data(), text.size()); }

cocoon_status refuse(cocoon_sink sink, cocoon_status status, const Error& error) {
  write_to(sink, cocoon::error_json(error));
  return status;
}

bool is_given(const cocoon::Plan& plan, const cocoon::Stage& stage, const std::string& layer) {
  if (layer == "landlock") return stage.landlock_abi > 0;
  if (layer == "seccomp") return !stage.seccomp.empty();
  if (layer == "capabilities") return stage.drop_capabilities;
  if (layer == "no_new_privs") return stage.no_new_privs;
  const auto by_kernel = [](cocoon::Enforcer by) {
    return by == cocoon::Enforcer::cgroup1 || by == cocoon::Enforcer::cgroup2 || by == cocoon::Enforcer::rlimit;
  };
  if (layer == "memory") return by_kernel(stage.limits.memory_by);
  if (layer == "pids") return by_kernel(stage.limits.pids_by);
  (void)plan;
  return std::find(stage.namespaces.begin(), stage.namespaces.end(), layer) != stage.namespaces.end();
}

int32_t probe(const cocoon_host*, int32_t depth, cocoon_sink facts) noexcept {
  try {
    const auto result = cocoon::linux_driver::probe(depth == COCOON_PROBE_THOROUGH);
    write_to(facts, result.facts_json);
    return result.score;
  } catch (...) {
    return 0;
  }
}

cocoon_status run(const cocoon_host*, cocoon_str plan_json, const cocoon_run_io* io, cocoon_sink sink) noexcept {
  try {
    const auto plan = cocoon::parse_plan({plan_json.data, plan_json.len});
    if (!plan) return refuse(sink, COCOON_BAD_INPUT, plan.error());
    if (plan->stages.size() != 1)
      return refuse(sink, COCOON_BAD_INPUT, {"bad_plan", "this driver runs plans of one stage", "stages", ""});
    for (const std::string& layer : plan->require)
      if (!is_given(*plan, plan->stages[0], layer))
        return refuse(sink, COCOON_UNAVAILABLE,
                      {"layer_missing", "the required layer '" + layer + "' is not in force in this plan", "require",
                       "see 'cocoon info' for what this host can enforce"});
    cocoon::Outcome outcome = cocoon::linux_driver::run_stage(plan->stages[0], *io);
    outcome.driver = "linux";
    write_to(sink, cocoon::to_json(outcome));
    return COCOON_OK;
  } catch (const std::exception& error) {
    return refuse(sink, COCOON_INTERNAL, {"internal", error.what(), "driver linux", ""});
  } catch (...) {
    return COCOON_INTERNAL;
  }
}

constexpr cocoon_driver driver = {sizeof(cocoon_driver), "linux", probe, run};
constexpr cocoon_plugin plugin = {sizeof(cocoon_plugin), COCOON_VERSION, nullptr, &driver};

}  // namespace

extern "C" const cocoon_plugin* cocoon_plugin_v1(void) { return &plugin; }
