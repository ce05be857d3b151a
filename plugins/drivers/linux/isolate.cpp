// Isolate: the whole sequence from the host's view into the sandbox, in order, on one screen.
#include "isolate.hpp"

#include <sched.h>

#include <algorithm>
#include <optional>

namespace cocoon::linux_driver {
namespace {

Result<std::uint64_t> clone_flags(const Stage& stage) {
  static constexpr struct {
    std::string_view name;
    std::uint64_t flag;
  } known[] = {{"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID},      {"net", CLONE_NEWNET},
               {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP}};
  std::uint64_t flags = 0;
  for (const std::string& name : stage.namespaces) {
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return k.name == name; });
    if (found == std::end(known)) return fail("bad_plan", "unknown namespace '" + name + "'", "stages[].namespaces");
    flags |= found->flag;
  }
  constexpr std::uint64_t needed = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID;
  if ((flags & needed) != needed)
    return fail("bad_plan", "this driver cannot do without the user, mount and pid namespaces", "stages[].namespaces");
  if (stage.network == Network::none && !(flags & CLONE_NEWNET))
    return fail("bad_plan", "no network needs the net namespace", "stages[].namespaces");
  return flags;
}

Result<Watch> what_to_watch(const Stage& stage, bool hand_on) {
  Watch watch;
  std::string shared;
  for (const Mount& mount : stage.mounts) {
    if (mount.kind == MountKind::proc && mount.target == "/proc") watch.has_proc = true;
    if (mount.kind == MountKind::tmpfs && mount.writable) watch.tmpfs.push_back(mount.target);
    if (!mount.shared) continue;
    if (!shared.empty()) return fail("bad_plan", "more than one shared tmpfs mount", "stages[].mounts");
    shared = mount.target;
  }
  if (watch.tmpfs.size() > 8) return fail("bad_plan", "more than 8 writable tmpfs mounts", "stages[].mounts");
  if (!watch.has_proc && stage.limits.cpu_ms != 0)
    return fail("bad_plan", "a limit of CPU time needs a procfs at /proc", "stages[].mounts",
                "make an empty folder proc in the rootfs");
  if (!watch.has_proc &&
      (stage.limits.memory_by == Enforcer::supervisor || stage.limits.pids_by == Enforcer::supervisor))
    return fail("bad_plan", "limits that the supervisor enforces need a procfs at /proc", "stages[].mounts");
  if (hand_on) watch.hand_on = shared;
  watch.kept = mark_kept(stage);
  watch.has_sysv_shm = watch.has_proc && stage.limits.memory_by == Enforcer::supervisor;
  watch.has_workspace = !stage.workspace.empty();
  watch.wait_for_copies = stage.copies.empty() ? 0 : 1;
  if (watch.wait_for_copies && !watch.has_workspace)
    return fail("bad_plan", "copies need a workspace", "stages[].copies");
  return watch;
}

}  // namespace

Result<void> prepare_isolation(Isolation& isolation, const Stage& stage, const Wiring& wiring, const RunCgroups& groups,
                               bool hand_on) {
  auto flags = clone_flags(stage);
  if (!flags) return Unexpected<Error>{flags.error()};
  auto watch = what_to_watch(stage, hand_on);
  if (!watch) return Unexpected<Error>{watch.error()};
  isolation.clone_flags = *flags & ~std::uint64_t{CLONE_NEWNET};
  isolation.watch = *watch;
  Steps& steps = isolation.steps;
  const auto has = [&](std::uint64_t flag) { return (*flags & flag) != 0; };

  // From here on, in the new namespaces: nothing is decided any more.
  add_die_with_parent(steps, wiring);
  std::optional<Slot> network;
  if (has(CLONE_NEWNET)) network = add_network(steps);
  add_cgroup_join(steps, groups);
  add_identity(steps, stage.identity);

  auto root = add_root(steps, stage);
  if (!root) return Unexpected<Error>{root.error()};
  if (auto mounted = add_mounts(steps, stage, wiring, *root); !mounted) return mounted;
  if (has(CLONE_NEWUTS)) add_hostname(steps, stage.hostname);
  add_enter_root(steps, stage, *root);
  if (network) add_enter_network(steps, *network);

  add_report(steps, wiring, stage, isolation.watch);
  add_session(steps);
  add_streams(steps, wiring);
  add_rlimits(steps, stage.limits);

  if (stage.no_new_privs) add_no_new_privs(steps);
  if (stage.drop_capabilities) add_capability_drop(steps);
  if (auto walled = add_landlock(steps, stage); !walled) return walled;
  if (auto filtered = add_seccomp(steps, stage.seccomp); !filtered) return filtered;
  add_start_init(steps, wiring, stage);
  return {};
}

}  // namespace cocoon::linux_driver
