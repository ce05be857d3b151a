// Probe: what this host offers to the driver, as Facts.
#include "probe.hpp"

#include "run.hpp"

#include <cocoon/json_writer.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

namespace cocoon::linux_driver {
namespace {

// Up to 1 MiB, read in steps: a buffer for the worst case would cost more to clear than all the rest of the probe.
std::string read_file(const std::string& path) {
  constexpr std::size_t step = 8192;
  constexpr std::size_t most = std::size_t{1} << 20;
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  while (text.size() < most) {
    const std::size_t length = text.size();
    text.resize(length + step);
    const ssize_t n = ::read(fd, text.data() + length, step);
    text.resize(length + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n <= 0) break;
  }
  ::close(fd);
  return text;
}

// What programs need of the host's tree. Whatever is not here does not exist inside: no secrets, no host keys.
constexpr const char* system_paths[] = {"/usr",
                                        "/bin",
                                        "/sbin",
                                        "/lib",
                                        "/lib32",
                                        "/lib64",
                                        "/libx32",
                                        "/opt",
                                        "/nix/store",
                                        "/gnu/store",
                                        "/etc/ld.so.cache",
                                        "/etc/alternatives",
                                        "/etc/ssl/certs",
                                        "/etc/ssl/openssl.cnf",
                                        "/etc/pki/tls/certs",
                                        "/etc/pki/ca-trust/extracted",
                                        "/etc/crypto-policies",
                                        "/etc/localtime",
                                        "/etc/nsswitch.conf",
                                        "/etc/resolv.conf",
                                        "/etc/services",
                                        "/etc/protocols",
                                        "/etc/mime.types",
                                        "/etc/os-release",
                                        "/etc/fonts"};

void write_system_entries(json::Writer& facts) {
  facts.key("system");
  facts.begin_list();
  for (const char* path : system_paths) {
    struct stat info;
    if (::lstat(path, &info) != 0) continue;
    std::array<char, 4096> target;
    ssize_t link = 0;
    if (S_ISLNK(info.st_mode)) {
      if (std::string_view(path) == "/etc/resolv.conf") {  // services keep the file elsewhere: its own place is told
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path, nullptr), &std::free);
        link = real ? static_cast<ssize_t>(std::string_view(real.get()).copy(target.data(), target.size())) : 0;
      } else {
        link = ::readlink(path, target.data(), target.size());
      }
      if (link <= 0) continue;
    } else if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
      continue;
    }
    facts.begin_object();
    facts.put("path", path);
    facts.put("kind", S_ISDIR(info.st_mode) ? "directory" : "file");
    if (link > 0) facts.put("symlink", std::string_view(target.data(), static_cast<std::size_t>(link)));
    facts.end_object();
  }
  facts.end_list();
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || std::string_view(" ,\n").find(text[at - 1]) != std::string_view::npos;
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || std::string_view(" ,\n").find(text[end]) != std::string_view::npos))
      return true;
  }
  return false;
}

struct Cgroup {
  int version = 0;
  std::string parent;
};
struct Cgroups {
  Cgroup memory, pids;
};

struct CgroupMount {
  std::string root;   // which part of the hierarchy is mounted
  std::string point;  // where
};

// The mount whose super options hold `option` (v1 controllers) or whose type is cgroup2 (option empty).
bool find_mount(std::string_view mountinfo, std::string_view option, CgroupMount& found) {
  while (!mountinfo.empty()) {
    const std::size_t end = mountinfo.find('\n');
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(end == std::string_view::npos ? mountinfo.size() : end + 1);
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const std::string_view tail = line.substr(dash + 3);
    const bool v2 = tail.rfind("cgroup2 ", 0) == 0, v1 = tail.rfind("cgroup ", 0) == 0;
    if (option.empty() ? !v2 : !(v1 && has_word(tail, option))) continue;
    std::array<std::string_view, 5> fields;
    std::size_t at = 0;
    for (std::string_view& field : fields) {
      const std::size_t blank = line.find(' ', at);
      field = line.substr(at, blank - at);
      at = blank == std::string_view::npos ? line.size() : blank + 1;
    }
    found = {std::string(fields[3]), std::string(fields[4])};
    return true;
  }
  return false;
}

// This process's group below the mount, from its line in /proc/self/cgroup.
std::string own_group(std::string_view cgroups, std::string_view controller, const CgroupMount& mount) {
  while (!cgroups.empty()) {
    const std::size_t end = cgroups.find('\n');
    const std::string_view line = cgroups.substr(0, end);
    cgroups.remove_prefix(end == std::string_view::npos ? cgroups.size() : end + 1);
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? !names.empty() : !has_word(names, controller)) continue;
    std::string path(line.substr(second + 1));
    if (mount.root != "/" && path.rfind(mount.root, 0) == 0) path.erase(0, mount.root.size());
    return path == "/" || path.empty() ? mount.point : mount.point + path;
  }
  return {};
}

bool usable_group(const std::string& path) {
  return !path.empty() && ::access(path.c_str(), W_OK | X_OK) == 0 &&
         ::access((path + "/cgroup.procs").c_str(), W_OK) == 0;
}

// v2: the nearest group from ours upwards in which we may make groups that have the controller.
std::string find_v2_parent(std::string group, const std::string& mount_point, std::string_view controller) {
  for (;;) {
    if (usable_group(group)) {
      if (has_word(read_file(group + "/cgroup.subtree_control"), controller)) return group;
      // At the root of the hierarchy controllers can be switched on although processes live there.
      if (group == mount_point && has_word(read_file(group + "/cgroup.controllers"), controller)) {
        if (::access((group + "/cgroup.subtree_control").c_str(), W_OK) == 0) return group;
      }
    }
    const std::size_t slash = group.rfind('/');
    if (group == mount_point || group.size() <= mount_point.size() || slash == std::string::npos) return {};
    group.erase(slash);
  }
}

// The usual places are tried first: reading the whole mount table costs more than all other looks together.
Cgroups find_cgroups() {
  Cgroups found;
  const std::string own = read_file("/proc/self/cgroup");
  std::string mountinfo;
  const auto find = [&](const char* controller, std::initializer_list<const char*> usual, CgroupMount& mount) {
    for (const char* point : usual) {
      mount = {"/", point};
      struct statfs info;
      const auto magic = *controller ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC;
      if (::statfs(point, &info) != 0 || info.f_type != magic) continue;
      const std::string group = own_group(own, controller, mount);
      if (!group.empty() && ::access(group.c_str(), F_OK) == 0) return true;
    }
    if (mountinfo.empty()) mountinfo = read_file("/proc/self/mountinfo");
    return find_mount(mountinfo, controller, mount);
  };
  CgroupMount mount;
  if (find("", {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}, mount)) {
    const std::string group = own_group(own, "", mount);
    const std::string memory = find_v2_parent(group, mount.point, "memory");
    const std::string pids = find_v2_parent(group, mount.point, "pids");
    if (!memory.empty()) found.memory = {2, memory};
    // One group serves both: where they differ, the lower one is the one that has both.
    if (!pids.empty() && (memory.empty() || pids == memory)) found.pids = {2, pids};
  }
  for (const auto& [controller, usual, target] : {std::tuple{"memory", "/sys/fs/cgroup/memory", &found.memory},
                                                  std::tuple{"pids", "/sys/fs/cgroup/pids", &found.pids}}) {
    if (target->version != 0 || !find(controller, {usual}, mount)) continue;
    const std::string group = own_group(own, controller, mount);
    if (usable_group(group)) *target = {1, group};
  }
  return found;
}

std::uint32_t landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
  return abi > 0 ? static_cast<std::uint32_t>(abi) : 0;
}

// Every layer for real, around a command that does not exist: that far, everything must have worked.
Outcome try_for_real(std::uint32_t abi) {
  Stage stage;
  stage.name = "probe";
  stage.executable = "/nothing-to-run";
  stage.argv = {"nothing-to-run"};
  stage.cwd = "/";
  stage.namespaces = {"user", "mount", "pid", "net", "ipc", "uts", "cgroup"};
  stage.identity = {::getuid(), ::getgid(), ::geteuid(), ::getegid()};
  stage.hostname = "cocoon";
  Mount proc;
  proc.kind = MountKind::proc;
  proc.target = "/proc";
  Mount scratch;
  scratch.kind = MountKind::tmpfs;
  scratch.target = "/tmp";
  scratch.writable = true;
  scratch.mode = 01777;
  scratch.size_kib = 64;
  stage.mounts = {proc, scratch};
  stage.landlock_abi = abi;
  stage.landlock_writable = {"/tmp"};
  stage.seccomp = "default";
  stage.limits.timeout_ms = 5000;
  cocoon_run_io io = {};
  io.struct_size = sizeof io;
  io.busy_fd[0] = io.busy_fd[1] = io.stdin_fd = io.cancel_fd = -1;
  return run_stage(stage, io);
}

}  // namespace

Probe probe(bool thorough) {
  utsname kernel = {};
  ::uname(&kernel);
  const std::uint32_t abi = landlock_abi();
  const Cgroups cgroups = find_cgroups();
  bool usable = true;
  std::string reason, hint;
  if (const std::string limit = read_file("/proc/sys/user/max_user_namespaces"); limit == "0\n") {
    usable = false;
    reason = "user namespaces are switched off here (user.max_user_namespaces is 0)";
    hint = "as root: sysctl -w user.max_user_namespaces=15000";
  } else if (read_file("/proc/sys/kernel/unprivileged_userns_clone") == "0\n" && ::geteuid() != 0) {
    usable = false;
    reason = "unprivileged user namespaces are switched off here (kernel.unprivileged_userns_clone is 0)";
    hint = "as root: sysctl -w kernel.unprivileged_userns_clone=1";
  }
  if (usable && thorough) {
    const Outcome outcome = try_for_real(abi);
    if (outcome.status == Status::setup_failed && outcome.error) {
      usable = false;
      reason = outcome.error->message;
      hint = outcome.error->hint;
    }
  }

  json::Writer facts(-1);
  facts.begin_object();
  facts.put("name", "linux");
  facts.put("usable", usable);
  facts.put("reason", reason);
  facts.put("hint", hint);
  facts.put("kernel", std::string(kernel.sysname) + " " + kernel.release);
  facts.put("landlock_abi", abi);
  facts.put("seccomp", true);
  const auto put_group = [&facts](std::string_view key, const Cgroup& group) {
    facts.key(key);
    facts.begin_object();
    facts.put("version", group.version);
    if (group.version != 0) facts.put("parent", group.parent);
    facts.end_object();
  };
  put_group("memory_cgroup", cgroups.memory);
  put_group("pids_cgroup", cgroups.pids);
  write_system_entries(facts);
  facts.key("layers");
  facts.begin_list();
  const auto layer = [&facts](const char* name, bool available, const std::string& detail) {
    facts.begin_object();
    facts.put("name", name);
    facts.put("available", available);
    facts.put("detail", detail);
    facts.end_object();
  };
  const std::string namespaces =
      usable ? (thorough ? "tried" : "expected to work") : reason + (hint.empty() ? "" : ": " + hint);
  for (const char* name : {"user", "mount", "pid", "net", "uts", "ipc", "cgroup"}) layer(name, usable, namespaces);
  layer("landlock", abi > 0,
        abi > 0 ? "ABI " + std::to_string(abi)
                : std::string("not in this kernel (Linux 5.13 with landlock in the lsm= list has it); the mount "
                              "namespace stands alone"));
  layer("seccomp", true, "filter compiled in");
  layer("capabilities", true, "all dropped");
  layer("no_new_privs", true, "set");
  const auto limit_layer = [&](const char* name, const Cgroup& group, const std::string& otherwise) {
    layer(name, group.version != 0,
          group.version ? "cgroup v" + std::to_string(group.version) + " at " + group.parent : otherwise);
  };
  limit_layer("memory", cgroups.memory,
              "sampled by the supervisor; for limits by the kernel, delegate a cgroup (systemd-run --user --scope -p "
              "Delegate=yes)");
  if (cgroups.pids.version == 0 && ::geteuid() != 0)
    layer("pids", true, "rlimit of the user namespace");
  else
    limit_layer("pids", cgroups.pids, "sampled by the supervisor");

  facts.end_list();
  facts.end_object();
  return {usable ? COCOON_BEST_SCORE : 0, facts.take()};
}

}  // namespace cocoon::linux_driver
