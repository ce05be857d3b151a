// Gathering what works, and its JSON.
#include "host/info.hpp"

#include "host/discovery.hpp"
#include "host/driver.hpp"
#include "host/os/paths.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cocoon {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Error& error) { return Json::parse(error_json(error)); }

Json json_of(const CgroupFact& cgroup) { return {{"version", cgroup.version}, {"parent", cgroup.parent}}; }

Json json_of(const DriverInfo& driver) {
  const DriverFacts& facts = driver.facts;
  Json json = {{"name", driver.name},
               {"version", driver.version},
               {"path", driver.path},
               {"usable", facts.usable},
               {"score", facts.score}};
  if (driver.error) json["error"] = json_of(*driver.error);
  if (!facts.reason.empty()) json["reason"] = facts.reason;
  if (!facts.hint.empty()) json["hint"] = facts.hint;
  if (!facts.kernel.empty()) json["kernel"] = facts.kernel;
  if (facts.memory_cgroup.version != 0) json["memory_cgroup"] = json_of(facts.memory_cgroup);
  if (facts.pids_cgroup.version != 0) json["pids_cgroup"] = json_of(facts.pids_cgroup);
  if (facts.layers.empty()) return json;
  Json& layers = json["layers"] = Json::array();
  for (const DriverFacts::Layer& layer : facts.layers) {
    layers.push_back({{"name", layer.name}, {"available", layer.available}, {"detail", layer.detail}});
  }
  return json;
}

Json json_of(const RuntimeInfo& runtime) {
  Json json = {{"name", runtime.name}, {"title", runtime.title}, {"available", runtime.interpreter.has_value()}};
  if (!runtime.aliases.empty()) json["aliases"] = runtime.aliases;
  if (runtime.interpreter) {
    json["executable"] = runtime.interpreter->executable;
    if (!runtime.interpreter->version.empty()) json["version"] = runtime.interpreter->version;
    json["directories"] = runtime.interpreter->directories;
  }
  if (runtime.error) json["error"] = json_of(*runtime.error);
  json["plugin"] = runtime.path;
  return json;
}

}  // namespace

Info gather_info(Plugins& plugins, std::int32_t depth, const HostRules& rules) {
  Info info;
  info.version = COCOON_VERSION;
  for (const DriverPlugin* plugin : plugins.drivers()) {
    DriverInfo driver{plugin->name, plugin->version, plugin->path, {}, {}};
    Result<DriverFacts> facts = probe_driver(*plugin->driver, depth);
    if (facts) {
      driver.facts = std::move(*facts);
    } else {
      driver.error = facts.error();
    }
    info.drivers.push_back(std::move(driver));
  }
  const auto rank = [&](const DriverInfo& driver) {
    if (!driver.facts.usable || !rules.may_use(driver.name)) return -1;
    return driver.facts.score;
  };
  std::stable_sort(info.drivers.begin(), info.drivers.end(),
                   [&](const DriverInfo& a, const DriverInfo& b) { return rank(a) > rank(b); });
  // As Drivers::choose does: a driver that is used on demand only is used where the rules name no other.
  const int least = rules.drivers.size() == 1 ? 0 : 1;
  if (!info.drivers.empty() && rank(info.drivers[0]) >= least) info.driver = info.drivers[0].name;
  const Result<std::string> cwd = os::current_folder();
  const GuestFolders guests{{},
                            earlier_guests(rules.guest_folders, cwd ? *cwd : "/",
                                           info.drivers.empty() ? DriverFacts() : info.drivers[0].facts)};
  for (const RuntimePlugin* plugin : plugins.runtimes()) {
    const Preset& preset = plugin->preset;
    RuntimeInfo runtime{plugin->name, preset.title, preset.install, preset.aliases, plugin->path, {}, {}};
    Result<Interpreter> interpreter = find_interpreter(preset, cwd ? *cwd : "/", guests);
    if (interpreter) {
      runtime.interpreter = std::move(*interpreter);
      if (runtime.interpreter->version.empty())
        runtime.interpreter->version = ask_version(preset, *runtime.interpreter, guests);
    } else {
      runtime.error = interpreter.error();
    }
    info.runtimes.push_back(std::move(runtime));
  }
  info.refused = plugins.refused();
  return info;
}

std::string to_json(const Info& info, int indent) {
  Json json = {{"version", info.version}};
  if (!info.driver.empty()) json["driver"] = info.driver;
  Json& drivers = json["drivers"] = Json::array();
  for (const DriverInfo& driver : info.drivers) drivers.push_back(json_of(driver));
  Json& runtimes = json["runtimes"] = Json::array();
  for (const RuntimeInfo& runtime : info.runtimes) runtimes.push_back(json_of(runtime));
  if (!info.refused.empty()) {
    Json& refused = json["refused_plugins"] = Json::array();
    for (const RefusedPlugin& plugin : info.refused) {
      refused.push_back({{"path", plugin.path}, {"error", json_of(plugin.error)}});
    }
  }
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cocoon
