// Driver choice, and one look at everything on this host that the request is about.
#include "host/facts.hpp"

#include "host/discovery.hpp"
#include "host/driver.hpp"
#include "host/log.hpp"
#include "host/os/paths.hpp"
#include "host/protected.hpp"
#include "host/trust.hpp"
#include "plan/host_paths.hpp"
#include "plan/planner.hpp"
#include "plan/shown.hpp"
#include "plan/text.hpp"

#include <algorithm>

namespace cocoon {

Result<DriverFacts> Drivers::probe(const DriverPlugin& plugin) {
  for (const ChosenDriver& known : probed_) {
    if (known.plugin == &plugin) return known.facts;
  }
  Result<DriverFacts> facts = probe_driver(*plugin.driver, COCOON_PROBE_QUICK);
  if (facts) probed_.push_back({&plugin, *facts});
  return facts;
}

Result<ChosenDriver> Drivers::choose(const std::string& asked) {
  const std::lock_guard lock(mutex_);
  const std::string& name = asked.empty() && rules_.drivers.size() == 1 ? rules_.drivers.front() : asked;
  if (!name.empty()) {
    if (!rules_.may_use(name))
      return fail("policy", "the operator of this host does not allow this driver", "driver " + name,
                  "allowed: " + joined(rules_.drivers, ", "));
    const Result<const DriverPlugin*> plugin = plugins_.driver(name);
    if (!plugin) return Unexpected<Error>{plugin.error()};
    Result<DriverFacts> facts = probe(**plugin);
    if (!facts) return Unexpected<Error>{facts.error()};
    if (!facts->usable) {
      return fail("driver_unusable", "the driver \"" + name + "\" cannot work here: " + facts->reason, "driver",
                  facts->hint);
    }
    return ChosenDriver{*plugin, std::move(*facts)};
  }
  // Nothing beats full marks: where the driver that is named after this system has them, no other is even loaded.
  if (const Result<const DriverPlugin*> own = plugins_.driver(os::platform); own && rules_.may_use(os::platform)) {
    Result<DriverFacts> facts = probe(**own);
    if (facts && facts->usable && facts->score >= COCOON_BEST_SCORE) return ChosenDriver{*own, std::move(*facts)};
  }
  ChosenDriver best;
  std::string why_not;
  std::string hint;
  for (const DriverPlugin* plugin : plugins_.drivers()) {
    if (!rules_.may_use(plugin->name)) continue;
    Result<DriverFacts> facts = probe(*plugin);
    const std::string reason = facts ? facts->reason : facts.error().message;
    if (facts && facts->usable && facts->score > best.facts.score) {
      best = {plugin, std::move(*facts)};
    } else if (!reason.empty()) {
      why_not.append(why_not.empty() ? "" : "; ").append(plugin->name + ": " + reason);
      if (facts && hint.empty()) hint = facts->hint;
    }
  }
  if (best.plugin != nullptr) return best;
  for (const RefusedPlugin& refused : plugins_.refused()) {
    why_not.append(why_not.empty() ? "" : "; ").append(refused.path + ": " + refused.error.message);
    if (hint.empty()) hint = refused.error.hint;
  }
  return fail("no_driver", "nothing here can isolate a program" + (why_not.empty() ? "" : " (" + why_not + ")"),
              "driver", hint.empty() ? "\"cocoon info\" says what is missing" : hint);
}

namespace {

// Where a folder is given to no request, the planner's refusal is the answer, and not that a guest may have been there.
void add_guest_folder(std::vector<std::string>& folders, const std::string& real, const DriverFacts& driver) {
  if (!real.empty() && !refuse_to_write(real, driver.system)) folders.push_back(real);
}

// What this request's guest may write to.
std::vector<std::string> granted_folders(const Request& request, const Facts& facts) {
  std::vector<std::string> folders;
  for (const HostPath& path : host_paths(request)) {
    if (!path.writable) continue;
    if (const PathFact* fact = facts.path(path.given)) add_guest_folder(folders, fact->real, facts.driver);
  }
  return folders;
}

}  // namespace

std::vector<std::string> earlier_guests(std::span<const std::string> guest_folders, const std::string& cwd,
                                        const DriverFacts& driver) {
  std::vector<std::string> folders = project_folder(cwd, os::home_folder());
  for (const std::string& folder : guest_folders) add_guest_folder(folders, folder, driver);
  return folders;
}

Result<Facts> gather_facts(const Request& request, std::span<const Preset* const> presets, DriverFacts driver,
                           std::span<const std::string> guest_folders) {
  Facts facts;
  facts.driver = std::move(driver);
  facts.uid = os::user_id();
  facts.gid = os::group_id();
  Result<std::string> cwd = os::current_folder();
  if (!cwd) return Unexpected<Error>{cwd.error()};
  facts.cwd = std::move(*cwd);
  // Whether the current folder may be shown without having been named depends on it, and on nothing else.
  if (request.ro.empty() && request.rootfs.empty()) facts.home = os::home_folder();
  for (const std::string& path : paths_to_resolve(request)) facts.paths.push_back(os::path_fact(path, facts.cwd));
  if (const PathFact* work = request.work.empty() ? nullptr : facts.path(request.work);
      work != nullptr && work->kind == PathKind::directory && !request.allow_protected)
    find_protected(work->real, facts);
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const Preset* preset = presets[i];
    const auto known = [&](const auto& each) { return each.first == preset->name; };
    if (preset == nullptr || std::any_of(facts.interpreters.begin(), facts.interpreters.end(), known)) continue;
    Result<Interpreter> interpreter = find_interpreter(
        *preset, facts.cwd, {granted_folders(request, facts), earlier_guests(guest_folders, facts.cwd, facts.driver)});
    if (!interpreter) return in_step(!request.steps.empty(), i + 1, interpreter.error());
    facts.interpreters.emplace_back(preset->name, std::move(*interpreter));
  }
  return facts;
}

}  // namespace cocoon
