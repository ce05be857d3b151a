// Steps of building the guest's file system that both views share: /proc, /dev and the makers of single steps.
#include "plan/filesystem.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace cocoon {
namespace {

// What the kernel tells everybody through /proc about the host as a whole.
constexpr std::array<std::string_view, 6> proc_masks{"keys", "key-users", "sched_debug", "kallsyms", "acpi", "scsi"};
// The same, and what it lets root do: the permissions there stop everybody else.
constexpr std::array<std::string_view, 7> proc_root_masks{"kcore",       "sysrq-trigger", "timer_list",  "kmsg",
                                                          "vmallocinfo", "slabinfo",      "pagetypeinfo"};
// Needed by programs, but not to write to.
constexpr std::array<std::string_view, 1> proc_readonly{"sys"};
constexpr std::array<std::string_view, 3> proc_root_readonly{"irq", "bus", "fs"};

constexpr std::array<std::string_view, 6> device_nodes{"null", "zero", "full", "random", "urandom", "tty"};

}  // namespace

Mount make_directory(std::string target, std::uint32_t mode) {
  Mount mount;
  mount.kind = MountKind::directory;
  mount.target = std::move(target);
  mount.mode = mode;
  return mount;
}

Mount make_symlink(std::string target, std::string text) {
  Mount mount;
  mount.kind = MountKind::symlink;
  mount.target = std::move(target);
  mount.source = std::move(text);
  return mount;
}

Mount make_file(std::string target, std::string content) {
  Mount mount;
  mount.kind = MountKind::file;
  mount.target = std::move(target);
  mount.content = std::move(content);
  mount.mode = 0444;
  return mount;
}

Mount make_bind(std::string source, std::string target, bool writable) {
  Mount mount;
  mount.kind = MountKind::bind;
  mount.source = std::move(source);
  mount.target = std::move(target);
  mount.writable = writable;
  return mount;
}

Mount make_tmpfs(std::string target, std::uint32_t mode, std::uint64_t size_kib, std::uint64_t inodes) {
  Mount mount;
  mount.kind = MountKind::tmpfs;
  mount.target = std::move(target);
  mount.writable = true;
  mount.mode = mode;
  mount.size_kib = size_kib;
  mount.inodes = inodes;
  return mount;
}

void add_proc(std::vector<Mount>& mounts, bool root_outside) {
  Mount proc;
  proc.kind = MountKind::proc;
  proc.target = "/proc";
  mounts.push_back(proc);
  const auto add = [&](MountKind kind, std::string_view name) {
    Mount mount;
    mount.kind = kind;
    mount.target = "/proc/" + std::string(name);
    mount.optional = true;  // kernels differ in what they have
    mounts.push_back(std::move(mount));
  };
  const auto add_all = [&](MountKind kind, std::span<const std::string_view> names) {
    for (const std::string_view name : names) add(kind, name);
  };
  add_all(MountKind::remount_ro, proc_readonly);
  if (root_outside) add_all(MountKind::remount_ro, proc_root_readonly);
  add_all(MountKind::mask, proc_masks);
  if (root_outside) add_all(MountKind::mask, proc_root_masks);
}

void add_devices(std::vector<Mount>& mounts, const Settings& settings) {
  for (const std::string_view name : device_nodes) {
    const std::string path = "/dev/" + std::string(name);
    Mount node = make_bind(path, path, true);
    node.device = true;
    node.optional = name == "tty";  // there is none in some containers
    mounts.push_back(std::move(node));
  }
  mounts.push_back(make_symlink("/dev/fd", "/proc/self/fd"));
  mounts.push_back(make_symlink("/dev/stdin", "/proc/self/fd/0"));
  mounts.push_back(make_symlink("/dev/stdout", "/proc/self/fd/1"));
  mounts.push_back(make_symlink("/dev/stderr", "/proc/self/fd/2"));
  Mount pts;
  pts.kind = MountKind::devpts;
  pts.target = "/dev/pts";
  mounts.push_back(pts);
  mounts.push_back(make_symlink("/dev/ptmx", "pts/ptmx"));
  // A size of 0 would mean no limit.
  const std::uint64_t shm_kib = std::max<std::uint64_t>(settings.disk_kib / 2, 1);
  mounts.push_back(make_tmpfs("/dev/shm", 01777, shm_kib, settings.inodes));
}

Result<const PathFact*> existing(const Facts& facts, std::string_view given, std::string_view field) {
  const std::string where = std::string(field) + " " + std::string(given);
  const PathFact* fact = facts.path(given);
  if (fact == nullptr) return fail("path_unknown", "nobody looked up this path on the host", where);
  if (fact->kind == PathKind::missing) return fail("path_missing", "does not exist", where);
  if (fact->kind == PathKind::denied) return fail("path_denied", "can't be reached with your permissions", where);
  if (!is_plain_path(fact->real) || !is_plain_path(fact->absolute))
    return fail("path_unknown", "the facts about this path are incomplete", where);
  if (!is_utf8(fact->real) || !is_utf8(fact->absolute))
    return fail("bad_value", "leads to a path that is not valid UTF-8", where, "rename it, or name another");
  return fact;
}

std::vector<std::string> writable_places(const View& view) {
  std::vector<std::string> places;
  const auto add = [&](const std::string& place) {
    for (const std::string& other : places)
      if (is_within(place, other)) return;
    places.push_back(place);
  };
  if (view.root.writable) add("/");
  // An assembled root's /dev holds nodes and private places and is itself read-only: one rule does for all of them.
  if (view.root.rootfs.empty()) add("/dev");
  // A bundle's /dev is there for its nodes alone; what is optional may be missing, and then no rule can name it.
  for (const Mount& mount : view.mounts)
    if (mount.target != "/dev" && !mount.optional && (mount.writable || mount.kind == MountKind::devpts))
      add(mount.target);
  return places;
}

}  // namespace cocoon
