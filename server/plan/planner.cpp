// The planner: one request becomes one plan.
#include "plan/planner.hpp"

#include "plan/environment.hpp"
#include "plan/filesystem.hpp"
#include "plan/limits.hpp"
#include "plan/profile.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

constexpr std::array<std::string_view, 7> namespaces{"user", "mount", "pid", "net", "ipc", "uts", "cgroup"};

const DriverFacts::Layer* find_layer(const Facts& facts, std::string_view name) {
  for (const DriverFacts::Layer& layer : facts.driver.layers)
    if (layer.name == name) return &layer;
  return nullptr;
}

// A plan that could not be carried out as asked for is no plan.
Result<void> check_driver(const Request& request, const Facts& facts) {
  const DriverFacts& driver = facts.driver;
  if (!driver.usable)
    return fail("driver_unusable", driver.reason.empty() ? "does not work on this host" : driver.reason,
                "driver " + driver.name, driver.hint);
  const Field& field = *find_field("require");
  const auto known = split(field.choices, '|');
  for (const std::string& name : request.require) {
    if (!contains(known, name))
      return fail("bad_value", quoted(name) + " is not an isolation layer", "require",
                  "one of: " + joined(known, ", "));
    const DriverFacts::Layer* layer = find_layer(facts, name);
    if (layer == nullptr || !layer->available)
      return fail("layer_missing", "the driver " + driver.name + " can't give this layer on this host",
                  "require " + name, layer != nullptr ? layer->detail : "");
  }
  return {};
}

Result<void> check_facts(const Preset* preset, const Request& request, const Facts& facts,
                         const Interpreter* interpreter) {
  if (!is_utf8(facts.cwd)) return fail("bad_value", "the current directory's path is not valid UTF-8", "cwd");
  if (request.runtime.empty()) return {};
  if (preset == nullptr || interpreter == nullptr)
    return fail("runtime_missing", "is not installed, or not known here", "runtime " + request.runtime,
                preset != nullptr ? preset->install : "");
  return {};
}

// Too little to start with ends in whatever the runtime says or does then, which tells nobody what to change.
Result<void> check_memory(const Preset* preset, const Settings& settings) {
  if (preset == nullptr || settings.memory_kib >= std::uint64_t{preset->least_memory_mib} * 1024) return {};
  return fail("bad_value",
              std::to_string(settings.memory_kib / 1024) + " MiB are less than " + preset->title + " needs to start",
              "memory_max", "at least " + std::to_string(preset->least_memory_mib) + " MiB");
}

std::vector<std::string> choose_namespaces(const Facts& facts, Network network) {
  std::vector<std::string> chosen;
  for (const std::string_view name : namespaces) {
    const DriverFacts::Layer* layer = find_layer(facts, name);
    const bool missing = layer != nullptr && !layer->available;
    if (!missing && (name != "net" || network == Network::none)) chosen.emplace_back(name);
  }
  return chosen;
}

// A bundle's payload is root in a root of its own; elsewhere it stays who the caller is, so that files look right.
Identity choose_identity(const Request& request, const Facts& facts) {
  const bool bundle = !request.rootfs.empty();
  return {bundle ? 0 : facts.uid, bundle ? 0 : facts.gid, facts.uid, facts.gid};
}

// Without a memory cgroup a supervisor counts the pages that processes map, and a memfd's pages need not be mapped.
std::string choose_filter(const Facts& facts, const Limits& limits) {
  if (!facts.driver.seccomp) return {};
  return limits.memory_by == Enforcer::supervisor ? "no-memfd" : "default";
}

// Without control groups a supervisor inside counts memory and processes, and it reads them from /proc.
Result<void> check_counting(const Request& request, const Limits& limits, const View& view) {
  if (limits.memory_by != Enforcer::supervisor && limits.pids_by != Enforcer::supervisor) return {};
  const auto is_proc = [](const Mount& mount) { return mount.kind == MountKind::proc; };
  if (std::any_of(view.mounts.begin(), view.mounts.end(), is_proc)) return {};
  return fail("path_missing", "has no folder \"proc\", and without control groups limits can't be kept without /proc",
              "rootfs " + request.rootfs, "make an empty folder " + request.rootfs + "/proc");
}

void set_view(View view, Stage& stage) {
  stage.cwd = std::move(view.cwd);
  stage.root = std::move(view.root);
  stage.mounts = std::move(view.mounts);
  stage.workspace = std::move(view.workspace);
  stage.copies = std::move(view.copies);
  stage.protected_paths = std::move(view.protected_paths);
  stage.protected_kept = std::move(view.protected_kept);
  stage.create_folders = std::move(view.create_folders);
}

const Interpreter* interpreter_of(const Preset* preset, const Facts& facts) {
  if (preset == nullptr) return nullptr;
  for (const auto& [name, interpreter] : facts.interpreters)
    if (name == preset->name) return &interpreter;
  return facts.interpreter ? &*facts.interpreter : nullptr;
}

// A request that is checked, and no pipeline. shared_work_kib: as in Settings.
Result<Stage> make_stage(const Request& request, const Preset* preset, const Facts& facts, const Policy& policy,
                         std::uint64_t shared_work_kib) {
  if (request.runtime.empty()) preset = nullptr;
  const Interpreter* interpreter = interpreter_of(preset, facts);
  if (auto checked = check_facts(preset, request, facts, interpreter); !checked)
    return Unexpected<Error>{std::move(checked.error())};
  auto settings = settle(request, policy);
  if (!settings) return Unexpected<Error>{std::move(settings.error())};
  if (auto checked = check_memory(preset, *settings); !checked) return Unexpected<Error>{std::move(checked.error())};
  settings->shared_work_kib = shared_work_kib;
  const bool bundle = !request.rootfs.empty();
  auto view =
      bundle ? bundle_view(request, facts, *settings) : host_view(request, preset, interpreter, facts, *settings);
  if (!view) return Unexpected<Error>{std::move(view.error())};

  Stage stage;
  set_command(request, preset, interpreter, *settings, *view, stage);
  stage.stdin_open = request.stdin_open || (request.stdin_text && !request.stdin_text->empty());
  stage.init = !bundle;
  stage.namespaces = choose_namespaces(facts, settings->net);
  stage.identity = choose_identity(request, facts);
  stage.hostname = request.hostname.empty() ? "cocoon" : request.hostname;
  stage.network = settings->net;
  stage.limits = make_limits(*settings, preset, facts);
  stage.landlock_abi = facts.driver.landlock_abi;
  if (stage.landlock_abi != 0) stage.landlock_writable = writable_places(*view);
  stage.seccomp = choose_filter(facts, stage.limits);
  if (auto checked = check_counting(request, stage.limits, *view); !checked)
    return Unexpected<Error>{std::move(checked.error())};
  set_view(std::move(*view), stage);
  return stage;
}

}  // namespace

Result<Plan> make_plan(const Request& request, const Preset* preset, const Facts& facts, const Policy& policy) {
  return make_plan(request, std::span<const Preset* const>(&preset, 1), facts, policy);
}

Result<Plan> make_plan(const Request& request, std::span<const Preset* const> presets, const Facts& facts,
                       const Policy& policy) {
  if (auto checked = check_request(request); !checked) return Unexpected<Error>{std::move(checked.error())};
  if (auto checked = check_driver(request, facts); !checked) return Unexpected<Error>{std::move(checked.error())};
  Plan plan;
  plan.driver = facts.driver.name;
  plan.require = request.require;
  const bool is_pipeline = !request.steps.empty();
  std::uint64_t shared_work_kib = 0;
  if (is_pipeline) {
    auto together = settle(request, policy);
    if (!together) return Unexpected<Error>{std::move(together.error())};
    plan.timeout_ms = together->timeout_ms;
    plan.keep_going = request.keep_going;
    shared_work_kib = together->disk_kib;
  }
  for (const Request& step : step_requests(request)) {
    const std::size_t number = plan.stages.size();
    const Preset* preset = number < presets.size() ? presets[number] : nullptr;
    auto stage = make_stage(step, preset, facts, policy, shared_work_kib);
    if (!stage) return in_step(is_pipeline, number + 1, std::move(stage.error()));
    if (!step.name.empty()) stage->name = step.name;
    if (number > 0) {  // the first one has made and copied it
      stage->copies.clear();
      stage->create_folders.clear();
    }
    plan.stages.push_back(std::move(*stage));
  }
  return plan;
}

}  // namespace cocoon
