// Gathers the Facts that the planner needs for one request.
#pragma once

#include "host/plugins.hpp"
#include "plan/facts.hpp"
#include "plan/request.hpp"

#include <cocoon/result.hpp>

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace cocoon {

struct ChosenDriver {
  const DriverPlugin* plugin = nullptr;
  DriverFacts facts;
};

// Which driver runs a request. What the probes said is kept: a host does not change its kernel while we run.
class Drivers {
 public:
  explicit Drivers(Plugins& plugins) : plugins_(plugins) {}

  // name is the caller's choice; empty: the highest score.
  Result<ChosenDriver> choose(const std::string& name);

 private:
  Result<DriverFacts> probe(const DriverPlugin& plugin);

  Plugins& plugins_;
  std::mutex mutex_;
  std::vector<ChosenDriver> probed_;
};

// presets: as for make_plan, one for the request or one for each of its steps.
Result<Facts> gather_facts(const Request& request, std::span<const Preset* const> presets, DriverFacts driver);

}  // namespace cocoon
