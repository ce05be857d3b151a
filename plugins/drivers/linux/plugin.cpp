// The linux driver as a plugin.
#include "probe.hpp"
#include "stages.hpp"

#include <cocoon/plugin.hpp>

#include <algorithm>

namespace {

using cocoon::Enforcer;
using cocoon::Outcome;
using cocoon::Plan;
using cocoon::Result;
using cocoon::Stage;

bool is_given(const Stage& stage, const std::string& layer) {
  if (layer == "landlock") return stage.landlock_abi > 0;
  if (layer == "seccomp") return !stage.seccomp.empty();
  if (layer == "capabilities") return stage.drop_capabilities;
  if (layer == "no_new_privs") return stage.no_new_privs;
  const auto by_kernel = [](Enforcer by) {
    return by == Enforcer::cgroup1 || by == Enforcer::cgroup2 || by == Enforcer::rlimit;
  };
  if (layer == "memory") return by_kernel(stage.limits.memory_by);
  if (layer == "pids") return by_kernel(stage.limits.pids_by);
  return std::find(stage.namespaces.begin(), stage.namespaces.end(), layer) != stage.namespaces.end();
}

std::int32_t probe(const cocoon::Host&, std::int32_t depth, std::string& facts_json) {
  cocoon::linux_driver::Probe result = cocoon::linux_driver::probe(depth == COCOON_PROBE_THOROUGH);
  facts_json = std::move(result.facts_json);
  return result.score;
}

Result<Outcome> run(const cocoon::Host&, const Plan& plan, const cocoon_run_io& io) {
  for (const std::string& layer : plan.require)
    for (const Stage& stage : plan.stages)
      if (!is_given(stage, layer))
        return cocoon::fail("layer_missing", "the required layer '" + layer + "' is not in force in this plan",
                            "require", "see 'cocoon info' for what this host can enforce");
  return cocoon::linux_driver::run_stages(plan, io);
}

}  // namespace

COCOON_DRIVER("linux", probe, run)
