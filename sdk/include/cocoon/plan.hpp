// Plan: every decision about a run, as data. A driver carries it out and decides nothing.
#pragma once

#include <cocoon/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon {

// Who the guest is inside its user namespace, and who that is on the host.
struct Identity {
  std::uint32_t uid_inside = 0;
  std::uint32_t gid_inside = 0;
  std::uint32_t uid_outside = 0;
  std::uint32_t gid_outside = 0;
};

enum class MountKind : std::uint8_t {
  directory,   // an empty directory in the assembled root or in a scratch mounted before
  symlink,     // a symbolic link; source is its text
  file,        // a file with this content in the assembled root or in a scratch mounted before
  bind,        // the host's source, at target
  tmpfs,       // private memory, bounded by size_kib and inodes
  proc,        // a fresh procfs of the run's own pid namespace
  devpts,      // a private devpts instance
  mask,        // an empty read-only file or directory over target, which is already there
  remount_ro,  // target, which is already there, becomes read-only: bound onto itself
};

// One step of building the guest's file system. Steps are carried out in order.
struct Mount {
  MountKind kind = MountKind::directory;
  std::string target;          // absolute path inside; missing parents of it are made where the root is assembled
  std::string source;          // bind: absolute host path without symlinks; symlink: link text
  std::string content;         // file: its bytes (JSON carries them as UTF-8)
  bool writable = false;       // bind, tmpfs: otherwise read-only, submounts included
  bool device = false;         // bind: a device node that must work (all other mounts are nodev)
  bool optional = false;       // bind, mask, remount_ro: skipped where source or target does not exist
  std::uint32_t mode = 0755;   // directory, file, tmpfs: permission bits
  std::uint64_t size_kib = 0;  // tmpfs: capacity
  std::uint64_t inodes = 0;    // tmpfs: how many files it holds
  // tmpfs: one for all stages that have it at this target. The first makes it, each later one finds what the one before
  // left in it, and nothing outside of the stages ever sees it.
  bool shared = false;

  bool operator==(const Mount&) const = default;
};

// Which root the mounts are made in.
struct Root {
  std::string rootfs;     // absolute host path of a bundle's root; empty: assembled from nothing on a tmpfs
  bool writable = false;  // rootfs only: an assembled root is read-only once it is complete
};

// A file or tree staged into the workspace before the guest starts; symlinks are copied as links, never followed.
struct Copy {
  std::string source;  // absolute host path without symlinks
  std::string name;    // base name inside Stage::workspace

  bool operator==(const Copy&) const = default;
};

enum class Network : std::uint8_t {
  none,  // a network namespace of its own, loopback up, nothing else
  host,  // the host's network
};

enum class Enforcer : std::uint8_t {
  none,        // no such limit is set
  cgroup2,     // the kernel, by cgroup v2
  cgroup1,     // the kernel, by cgroup v1
  supervisor,  // the driver samples the process tree and kills it
  rlimit,      // the kernel, per process or per user namespace
};

// Bounds of a run. 0 means "no such limit" except for timeout_ms, which is always set.
struct Limits {
  std::uint64_t timeout_ms = 30'000;  // wall clock, from the start of the guest
  std::uint64_t memory_kib = 0;       // of the whole process tree
  std::uint64_t pids = 0;             // processes and threads of the whole tree
  std::uint64_t cpu_ms = 0;           // user + system time of the whole tree
  std::uint64_t file_kib = 0;         // size of any one file written (RLIMIT_FSIZE)
  std::uint64_t open_files = 0;       // per process (RLIMIT_NOFILE)
  std::uint64_t output_bytes = 0;     // stdout and stderr together; more ends the run
  bool memory_rlimit = false;         // RLIMIT_DATA as a backstop: only for runtimes that live with it
  Enforcer memory_by = Enforcer::none;
  Enforcer pids_by = Enforcer::none;
  std::string memory_cgroup;  // cgroup1, cgroup2: host directory in which the run's group is made
  std::string pids_cgroup;    // likewise (cgroup2: the same as memory_cgroup)
};

// Everything about one guest process tree.
struct Stage {
  std::string name;        // of the runtime, or the base name of the command: for people
  std::string executable;  // absolute path inside; empty: argv[0] is looked up in PATH of env, inside
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;
  std::string cwd;          // absolute path inside
  bool stdin_open = false;  // false: standard input is empty
  bool init = true;         // a small init is pid 1 and the payload its child; false: the payload is pid 1

  std::vector<std::string> namespaces;  // of "user mount pid net ipc uts cgroup"
  Identity identity;
  std::string hostname;
  Network network = Network::none;
  Root root;
  std::vector<Mount> mounts;
  std::vector<std::string> create_folders;  // host folders made first where they are missing; their parents exist
  std::string workspace;                    // absolute path inside of the writable work folder; empty: there is none
  std::vector<Copy> copies;
  std::vector<std::string> protected_paths;  // relative to workspace: named in the Outcome if the run creates them
  std::vector<std::string> protected_kept;   // likewise, if the run puts something else in the place of them

  bool no_new_privs = true;
  bool drop_capabilities = true;
  std::uint32_t landlock_abi = 0;              // 0: not used
  std::vector<std::string> landlock_writable;  // absolute paths inside; everything else is read and execute only
  std::string seccomp;                         // name of the driver's filter; empty: none

  Limits limits;
};

struct Plan {
  std::uint32_t version = 1;
  std::string driver;
  std::vector<std::string> require;  // isolation layers without which the run is refused
  std::vector<Stage> stages;         // one for a command, several for a pipeline: run one after another
  // Of all stages together, beside each one's own; the Outcome then has steps, were it only one. 0: a single run.
  std::uint64_t timeout_ms = 0;
  bool keep_going = false;  // a stage that fails does not keep the later ones from being run
};

// Both directions of schema/plan.schema.json. parse_plan refuses unknown keys, wrong types and out-of-range numbers
// and names them. Thread-safe, pure.
Result<Plan> parse_plan(std::string_view json);
std::string to_json(const Plan& plan, int indent = -1);

std::string_view to_string(MountKind kind);
std::string_view to_string(Network network);
std::string_view to_string(Enforcer enforcer);

}  // namespace cocoon
