// Gathers the Facts that the planner needs for one request.
#pragma once

#include "host/plugins.hpp"
#include "plan/facts.hpp"
#include "plan/request.hpp"
#include "plan/text.hpp"

#include <cocoon/result.hpp>

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

struct ChosenDriver {
  const DriverPlugin* plugin = nullptr;
  DriverFacts facts;
};

// What holds for all requests of an engine, whoever makes them.
struct HostRules {
  std::vector<std::string> drivers{};  // those that may be used; empty: all
  // Real: where guests of other requests may have written.
  std::vector<std::string> guest_folders{};

  bool may_use(std::string_view driver) const { return drivers.empty() || contains(drivers, driver); }
};

// Which driver runs a request. What the probes said is kept: a host does not change its kernel while we run.
class Drivers {
 public:
  Drivers(Plugins& plugins, const HostRules& rules) : plugins_(plugins), rules_(rules) {}

  // asked is the caller's choice; empty: the highest score. Where the rules name just one driver, that is chosen.
  Result<ChosenDriver> choose(const std::string& asked);

 private:
  Result<DriverFacts> probe(const DriverPlugin& plugin);

  Plugins& plugins_;
  const HostRules& rules_;
  std::mutex mutex_;
  std::vector<ChosenDriver> probed_;
};

// presets: as for make_plan, one for each of step_requests(request). guest_folders: as in HostRules.
Result<Facts> gather_facts(const Request& request, std::span<const Preset* const> presets, DriverFacts driver,
                           std::span<const std::string> guest_folders);

// Where guests may have written who are not those of the request that is looked at: the folders of the rules, and the
// project around the current folder. Folders that no request is ever given are not among them.
std::vector<std::string> earlier_guests(std::span<const std::string> guest_folders, const std::string& cwd,
                                        const DriverFacts& driver);

}  // namespace cocoon
