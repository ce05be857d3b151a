// What works on this host: every driver proved as far as it can be without a run, every runtime looked for.
#pragma once

#include "host/engine.hpp"
#include "plan/facts.hpp"

#include <cocoon/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cocoon {

struct DriverInfo {
  std::string name;
  std::string version;
  std::string path;
  DriverFacts facts;
  std::optional<Error> error;  // its probe broke its contract; facts are empty
};

struct RuntimeInfo {
  std::string name;
  std::string title;
  std::string install;
  std::vector<std::string> aliases;
  std::string path;  // of the plugin
  std::optional<Interpreter> interpreter;
  std::optional<Error> error;  // why there is none
};

struct Info {
  std::string version;
  std::vector<DriverInfo> drivers;  // the chosen one first
  std::string driver;               // the chosen one's name; empty: none works
  std::vector<RuntimeInfo> runtimes;
  std::vector<RefusedPlugin> refused;
};

// Asks one interpreter after the other where it lives and which version it is: each has seconds to answer, and many at
// once would make each other late. depth is COCOON_PROBE_*. Drivers that the rules leave out come last and are not chosen.
Info gather_info(Plugins& plugins, std::int32_t depth, const HostRules& rules = {});

std::string to_json(const Info& info, int indent = -1);

}  // namespace cocoon
