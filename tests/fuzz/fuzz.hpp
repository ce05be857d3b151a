// What the fuzzers share: a host on which every path exists, and the promise that a plan made is a plan a driver takes.
#pragma once

#include "plan/planner.hpp"

#include <cocoon/plan.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::fuzz {

inline void demand(bool holds, std::string_view what, const std::string& text = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n%s\n", static_cast<int>(what.size()), what.data(), text.c_str());
  std::abort();
}

inline void demand_good(const Error& error) {
  demand(!error.code.empty() && !error.message.empty(), "an error says what it is");
}

// Every path leads to a folder somewhere else, as if it were a symbolic link.
inline Facts facts_for(const Request& request) {
  Facts facts;
  facts.uid = facts.gid = 1000;
  facts.cwd = "/home/ann";
  facts.driver.name = "linux";
  facts.driver.usable = true;
  facts.driver.landlock_abi = 6;
  facts.driver.seccomp = true;
  facts.driver.system = {{"/usr", PathKind::directory, ""}, {"/bin", PathKind::file, "usr/bin"}};
  facts.interpreter = Interpreter{"/usr/bin/it", "1", {"/opt/it"}, {{"/home/ann/it", "/opt/it"}}};
  facts.protected_existing = {".git/hooks", ".vscode", "lib/.git/config"};
  facts.repositories = {"lib"};
  facts.protected_links = {".profile", ".zshrc"};
  facts.protected_targets = {"dot/profile"};
  facts.protected_missing = {"dot/zshrc"};
  std::size_t number = 0;
  for (const std::string& given : paths_to_resolve(request)) {
    PathFact fact;
    fact.given = given;
    fact.kind = PathKind::directory;
    fact.writable = true;
    fact.real = "/real/" + std::to_string(++number);
    fact.absolute = number % 2 == 0 ? fact.real : "/spelt/" + std::to_string(number);
    // In a bundle, what lies below the rootfs really does.
    if (!request.rootfs.empty()) {
      fact.real = given.starts_with("/") ? given : "/real/" + given;
      fact.absolute = fact.real;
    }
    facts.paths.push_back(fact);
  }
  return facts;
}

inline void plan_it(const Request& request, const Preset* preset) {
  const std::vector<const Preset*> presets(request.steps.empty() ? 1 : request.steps.size(), preset);
  Facts facts = facts_for(request);
  if (preset != nullptr) facts.interpreters.emplace_back(preset->name, *facts.interpreter);
  const auto plan = make_plan(request, presets, facts, Policy{});
  if (!plan) return demand_good(plan.error());
  const std::string text = to_json(*plan);
  const auto again = parse_plan(text);
  demand(again.has_value(), "a driver takes every plan that is made", text);
  demand(to_json(*again) == text, "nothing is lost on the way to a driver", text);
  demand(!explain(*plan).empty(), "every plan can be told");
}

}  // namespace cocoon::fuzz
