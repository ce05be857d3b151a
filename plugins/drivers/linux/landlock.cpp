// Landlock: a second wall over the mounts. Everything may be read and executed; only the plan's writable places written.
#include "features.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>

namespace cocoon::linux_driver {
namespace {

// From linux/landlock.h; spelled out since the distribution's header is older than the kernels we meet.
enum : std::uint64_t {
  execute = 1u << 0,
  write_file = 1u << 1,
  read_file = 1u << 2,
  read_dir = 1u << 3,
  all_abi_1 = (1u << 13) - 1,
  refer = 1u << 13,      // ABI 2
  truncate = 1u << 14,   // ABI 3
  ioctl_dev = 1u << 15,  // ABI 5
};
enum : std::uint64_t { scope_abstract_unix_socket = 1, scope_signal = 2 };  // ABI 6

struct RulesetAttr {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};
struct __attribute__((packed)) PathBeneath {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};

std::uint64_t handled(std::uint32_t abi) {
  std::uint64_t rights = all_abi_1;
  if (abi >= 2) rights |= refer;
  if (abi >= 3) rights |= truncate;
  if (abi >= 5) rights |= ioctl_dev;
  return rights;
}

bool is_file_bind(const Stage& stage, const std::string& target) {
  const auto mount = std::find_if(stage.mounts.rbegin(), stage.mounts.rend(),
                                  [&](const Mount& m) { return m.kind == MountKind::bind && m.target == target; });
  struct stat info;
  return mount != stage.mounts.rend() && ::lstat(mount->source.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

void add_rule(Steps& steps, Slot ruleset, const std::string& path, std::uint64_t rights) {
  const char* name = steps.keep("add the Landlock rule for " + path);
  auto* rule = steps.keep_value(PathBeneath{rights, -1});
  const Slot fd = steps.add_slot(name, SYS_openat, AT_FDCWD, steps.keep(path), O_PATH | O_CLOEXEC, 0);
  steps.store(fd, reinterpret_cast<int*>(reinterpret_cast<char*>(rule) + offsetof(PathBeneath, parent_fd)));
  steps.add(name, SYS_landlock_add_rule, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, rule, 0);
  steps.add(name, SYS_close, fd);
  steps.free_slot(fd);
}

}  // namespace

Result<void> add_landlock(Steps& steps, const Stage& stage) {
  const std::uint32_t abi = stage.landlock_abi;
  if (abi == 0) return {};
  RulesetAttr attr = {handled(abi), 0, abi >= 6 ? scope_abstract_unix_socket | scope_signal : 0};
  // Each ABI knows a longer struct; a kernel refuses bytes beyond the one it knows.
  const std::size_t size = abi >= 6 ? sizeof attr : abi >= 4 ? offsetof(RulesetAttr, scoped) : sizeof(std::uint64_t);
  const Slot ruleset =
      steps.add_slot("create the Landlock ruleset", SYS_landlock_create_ruleset, steps.keep_value(attr), size, 0);
  add_rule(steps, ruleset, "/", execute | read_file | read_dir);
  for (const std::string& path : stage.landlock_writable) {
    std::uint64_t rights = attr.handled_access_fs;
    if (is_file_bind(stage, path)) rights &= execute | write_file | read_file | truncate | ioctl_dev;
    add_rule(steps, ruleset, path, rights);
  }
  steps.add("enter the Landlock domain", SYS_landlock_restrict_self, ruleset, 0);
  steps.add("close the Landlock ruleset", SYS_close, ruleset);
  steps.free_slot(ruleset);
  return {};
}

}  // namespace cocoon::linux_driver
