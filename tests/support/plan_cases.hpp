// The planner's cases in tests/golden/cases: what is asked for, on which host, and what has to come out.
#pragma once

#include "plan/planner.hpp"

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace cocoon::test {

// NAME.conf or NAME.request.json, with NAME.facts.json: a host of tests/golden/hosts and what is special about the
// case. The preset is that of tests/golden/presets with the runtime's name.
struct PlanCase {
  std::string name;
  bool is_conf = false;
  std::string source;
  std::string facts;                 // JSON, complete
  std::vector<std::string> presets;  // JSON; of the request, or of each step; empty: no runtime is asked for
  Policy policy;
};

// For GoogleTest, which would show the bytes.
inline void PrintTo(const PlanCase& each, std::ostream* out) { *out << each.name; }

std::filesystem::path cases_folder();
std::vector<PlanCase> load_cases();

// From text to plan, as the program does it.
Result<Plan> run_case(const PlanCase& each);

}  // namespace cocoon::test
