// Control groups of one run: made before the clone, read while it runs, removed after it.
#include "cgroup.hpp"

#include "features.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace cocoon::linux_driver {
namespace {

bool write_text(int folder, const char* file, const std::string& text) {
  const int fd = ::openat(folder, file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = errno;
  ::close(fd);
  errno = error;
  return written == static_cast<ssize_t>(text.size());
}

std::string read_text(int folder, const char* file) {
  std::string text(4096, '\0');
  const int fd = ::openat(folder, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t length = ::read(fd, text.data(), text.size());
  ::close(fd);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

std::uint64_t to_number(const std::string& text, std::size_t from = 0) {
  std::uint64_t number = 0;
  if (from < text.size()) std::from_chars(text.data() + from, text.data() + text.size(), number);
  return number;
}

// The number after "key " at the start of a line.
std::uint64_t keyed(const std::string& text, const std::string& key) {
  for (std::size_t line = 0; line != std::string::npos && line < text.size();) {
    if (text.compare(line, key.size(), key) == 0 && text.size() > line + key.size() && text[line + key.size()] == ' ')
      return to_number(text, line + key.size() + 1);
    const std::size_t end = text.find('\n', line);
    line = end == std::string::npos ? end : end + 1;
  }
  return 0;
}

// Groups of a supervisor that was killed hard stay behind empty, since only a live process can remove them. A live one
// holds a lock on its groups; a group younger than that takes is left alone.
void remove_abandoned(const std::string& parent) {
  DIR* folder = ::opendir(parent.c_str());
  if (!folder) return;
  const int folder_fd = ::dirfd(folder);
  while (const dirent* entry = folder_fd < 0 ? nullptr : ::readdir(folder)) {
    if (std::strncmp(entry->d_name, "cocoon-", 7) != 0) continue;
    const int group = ::openat(folder_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;
    if (group >= 0 && ::fstat(group, &info) == 0 && ::time(nullptr) - info.st_ctime >= 2 &&
        ::flock(group, LOCK_EX | LOCK_NB) == 0)
      ::unlinkat(folder_fd, entry->d_name, AT_REMOVEDIR);
    if (group >= 0) ::close(group);
  }
  ::closedir(folder);
}

// At the root of the hierarchy controllers can be switched on although processes live there. Elsewhere they are on already,
// or the parent would not have been chosen; what cannot be switched on shows when the limit is set.
void enable_controllers(const std::string& parent, bool memory, bool pids) {
  const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const std::string enabled = " " + read_text(folder, "cgroup.subtree_control");
  if (memory && enabled.find(" memory") == std::string::npos) write_text(folder, "cgroup.subtree_control", "+memory");
  if (pids && enabled.find(" pids") == std::string::npos) write_text(folder, "cgroup.subtree_control", "+pids");
  ::close(folder);
}

}  // namespace

RunCgroups::RunCgroups(RunCgroups&& other) noexcept
    : groups_(std::exchange(other.groups_, {})),
      joins_(std::exchange(other.joins_, {})),
      clone_into_(std::exchange(other.clone_into_, -1)),
      patient_(other.patient_) {}

RunCgroups& RunCgroups::operator=(RunCgroups&& other) noexcept {
  if (this != &other) {
    clear();
    groups_ = std::exchange(other.groups_, {});
    joins_ = std::exchange(other.joins_, {});
    clone_into_ = std::exchange(other.clone_into_, -1);
    patient_ = other.patient_;
  }
  return *this;
}

RunCgroups::~RunCgroups() { clear(); }

void RunCgroups::clear() {
  for (const int fd : joins_) ::close(fd);
  for (const Group& group : groups_) {
    ::close(group.folder);
    // The kernel lets go of a dead process's group a little after its parent has reaped it.
    for (int attempt = 0; ::rmdir(group.path.c_str()) != 0 && errno == EBUSY && patient_ && attempt < 50; ++attempt)
      ::usleep(attempt < 10 ? 200 : 2000);
  }
  joins_.clear();
  groups_.clear();
  clone_into_ = -1;
}

Result<void> RunCgroups::add(const std::string& parent, int version, const Limits& limits, bool memory, bool pids) {
  static std::atomic<unsigned> counter{0};
  remove_abandoned(parent);
  const auto failed = [&](const std::string& what) {
    return fail("setup_failed", what + ": " + std::strerror(errno), parent,
                "delegate a writable control group with the memory and pids controllers to this user, or run without "
                "the requirement");
  };
  Group group;
  group.version = version;
  group.memory = memory;
  group.pids = pids;
  group.path = parent + "/cocoon-" + std::to_string(::getpid()) + "-" + std::to_string(++counter);
  if (version == 2) enable_controllers(parent, memory, pids);
  if (::mkdir(group.path.c_str(), 0755) != 0) return failed("cannot make a control group");
  group.folder = ::open(group.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  groups_.push_back(group);
  if (group.folder < 0 || ::flock(group.folder, LOCK_SH | LOCK_NB) != 0) return failed("cannot open the control group");

  const std::string memory_bytes = std::to_string(limits.memory_kib * 1024);
  const std::string processes = std::to_string(limits.pids + 1);  // init is one of them
  if (version == 2) {
    if (memory) {
      if (!write_text(group.folder, "memory.max", memory_bytes)) return failed("cannot set memory.max");
      // Absent where the kernel has no swap accounting; then there is no swap to evade into that is not counted.
      if (!write_text(group.folder, "memory.swap.max", "0") && errno != ENOENT)
        return failed("cannot set memory.swap.max");
      if (!write_text(group.folder, "memory.oom.group", "1")) return failed("cannot set memory.oom.group");
    }
    if (pids && !write_text(group.folder, "pids.max", processes)) return failed("cannot set pids.max");
    clone_into_ = group.folder;
    return {};
  }
  if (memory) {
    if (!write_text(group.folder, "memory.limit_in_bytes", memory_bytes))
      return failed("cannot set memory.limit_in_bytes");
    if (!write_text(group.folder, "memory.memsw.limit_in_bytes", memory_bytes) && errno != ENOENT)
      return failed("cannot set memory.memsw.limit_in_bytes");
  }
  if (pids && !write_text(group.folder, "pids.max", processes)) return failed("cannot set pids.max");
  const int join = ::openat(group.folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (join < 0) return failed("cannot open cgroup.procs");
  const int high = ::fcntl(join, F_DUPFD_CLOEXEC, 10);
  ::close(join);
  if (high < 0) return failed("cannot keep cgroup.procs open");
  joins_.push_back(high);
  return {};
}

Result<RunCgroups> RunCgroups::create(const Limits& limits) {
  RunCgroups groups;
  const bool memory = limits.memory_kib != 0, pids = limits.pids != 0;
  const auto uses = [](bool wanted, Enforcer by, Enforcer version) { return wanted && by == version; };
  const bool memory2 = uses(memory, limits.memory_by, Enforcer::cgroup2),
             pids2 = uses(pids, limits.pids_by, Enforcer::cgroup2);
  if (memory2 || pids2) {
    if (memory2 && pids2 && limits.memory_cgroup != limits.pids_cgroup)
      return fail("bad_plan", "cgroup v2 has one tree: memory_cgroup and pids_cgroup must be equal", "stages[].limits");
    auto added = groups.add(memory2 ? limits.memory_cgroup : limits.pids_cgroup, 2, limits, memory2, pids2);
    if (!added) return Unexpected<Error>{std::move(added).error()};
  }
  if (uses(memory, limits.memory_by, Enforcer::cgroup1))
    if (auto added = groups.add(limits.memory_cgroup, 1, limits, true, false); !added)
      return Unexpected<Error>{std::move(added).error()};
  if (uses(pids, limits.pids_by, Enforcer::cgroup1))
    if (auto added = groups.add(limits.pids_cgroup, 1, limits, false, true); !added)
      return Unexpected<Error>{std::move(added).error()};
  return groups;
}

std::uint64_t RunCgroups::oom_kills() const {
  for (const Group& group : groups_)
    if (group.memory)
      return keyed(read_text(group.folder, group.version == 2 ? "memory.events" : "memory.oom_control"), "oom_kill");
  return 0;
}

std::uint64_t RunCgroups::refused_forks() const {
  for (const Group& group : groups_)
    if (group.pids) return keyed(read_text(group.folder, "pids.events"), "max");
  return 0;
}

std::uint64_t RunCgroups::peak_memory_kib() const {
  for (const Group& group : groups_)
    if (group.memory)
      return to_number(read_text(group.folder, group.version == 2 ? "memory.peak" : "memory.max_usage_in_bytes")) /
             1024;
  return 0;
}

std::uint64_t RunCgroups::cpu_us() const {
  for (const Group& group : groups_)
    if (group.version == 2) return keyed(read_text(group.folder, "cpu.stat"), "usage_usec");
  return 0;
}

// The child moves itself: the files were opened by the supervisor, whose rights count.
void add_cgroup_join(Steps& steps, const RunCgroups& groups) {
  for (const int fd : groups.join_descriptors())
    steps.add("join the control group", SYS_write, fd, "0", 1).expected = 1;
}

}  // namespace cocoon::linux_driver
