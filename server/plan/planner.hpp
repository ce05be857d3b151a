// The planner: Request + Preset + Facts + Policy -> Plan. Pure: no OS call, clock, environment, file, log, thread or exception.
#pragma once

#include "plan/facts.hpp"
#include "plan/preset.hpp"
#include "plan/request.hpp"

#include <cocoon/plan.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

// What the operator allows; set when the program starts, never by a request. Asking for more than a ceiling is refused;
// defaults are lowered to it.
struct Policy {
  bool host_network = true;
  bool current_folder = true;        // where nothing else is asked for, it is shown read-only
  std::uint64_t max_timeout_ms = 0;  // 0: no ceiling, here and below
  std::uint64_t max_memory_kib = 0;
  std::uint64_t max_pids = 0;
  std::uint64_t max_output_bytes = 0;
  std::uint64_t max_disk_kib = 0;
};

// preset is needed where the request names a runtime, and NULL otherwise.
Result<Plan> make_plan(const Request& request, const Preset* preset, const Facts& facts, const Policy& policy);

// One preset for each of step_requests(request), likewise.
Result<Plan> make_plan(const Request& request, std::span<const Preset* const> presets, const Facts& facts,
                       const Policy& policy);

// Every path of the request about which make_plan needs a PathFact, as given.
std::vector<std::string> paths_to_resolve(const Request& request);

// Names in a work folder that programs execute or obey later: ".git/hooks", ".vscode", ".bashrc", ...
std::span<const std::string_view> protected_names();

// The plan as a person reads it: one step per line, in the order in which it happens, grouped by phase.
struct PlanStep {
  std::string phase;  // "identity", "filesystem", "network", "limits", "capabilities", "seccomp", "exec", "copy"
  std::string text;
};
std::vector<PlanStep> explain(const Plan& plan);

}  // namespace cocoon
