// Facts: what this host can do and where things are, as data; gathered by drivers' probes and by the host, judged by the planner.
#pragma once

#include <cocoon/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon {

enum class PathKind : std::uint8_t { missing, denied, directory, file, other };

// What a path from the request is: one for each of paths_to_resolve().
struct PathFact {
  std::string given;  // as in the request
  std::string
      absolute;  // given made absolute and lexically normal, symlinks kept; of a missing path without real, followed
  // absolute with every symlink resolved. Of a missing path: where it would come to be if it were made, if its parent
  // exists; otherwise empty.
  std::string real;
  PathKind kind = PathKind::missing;
  bool writable = false;  // by the caller; missing: its parent is
  bool executable = false;
};

// One entry of the host's system tree that the guest may see.
struct SystemEntry {
  std::string path;  // "/usr", "/bin", "/etc/ssl/certs"
  PathKind kind = PathKind::directory;
  std::string symlink;  // its text, where the entry is a symbolic link
};

// The interpreter that a preset resolved to.
struct Interpreter {
  std::string executable;  // the path to start, absolute; may itself be a symlink (virtual environments rely on it)
  std::string version;
  std::vector<std::string> directories;  // real paths it needs that the system tree may not cover
  struct Link {
    std::string path;  // a symbolic link on the way to executable, in none of directories
    std::string real;  // where it leads, in the end
  };
  std::vector<Link> links{};
  std::vector<std::pair<std::string, std::string>> env{};  // by which it finds what is installed for it
};

struct CgroupFact {
  int version = 0;     // 0: none that this user may use
  std::string parent;  // host directory in which groups can be made
};

// What one driver's probe said.
struct DriverFacts {
  std::string name;
  int score = 0;
  bool usable = false;
  std::string reason;  // why not
  std::string hint;    // what to do about it
  std::string kernel;
  std::uint32_t landlock_abi = 0;
  bool seccomp = false;
  CgroupFact memory_cgroup;
  CgroupFact pids_cgroup;
  std::vector<SystemEntry> system;  // of /, /etc and /dev, in the order in which they are to be shown
  struct Layer {
    std::string name;  // as in --require
    bool available = false;
    std::string detail;  // what gives it, or why it is missing and what to do
  };
  std::vector<Layer> layers;
};

struct Facts {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string cwd;     // of the caller, real
  std::string home;    // the caller's home folder, real; empty: none, or nobody asked
  DriverFacts driver;  // the one that will run the plan
  std::vector<PathFact> paths;
  std::vector<std::pair<std::string, Interpreter>> interpreters;  // of the request's runtimes, by preset
  std::optional<Interpreter> interpreter;                         // of any other
  // Relative to the work folder, as are all of these: those of protected_names() that exist there and in the repositories
  // below it, with no symbolic link on the way (nothing can be mounted over a link).
  std::vector<std::string> protected_existing;
  std::vector<std::string> protected_links;    // the links on the way to the others
  std::vector<std::string> protected_targets;  // what they lead to in the work folder, and what git's own files do
  std::vector<std::string> protected_missing;  // likewise, where nothing is there yet
  std::vector<std::string> repositories;       // folders below the work folder that hold a .git

  const PathFact* path(std::string_view given) const;
};

// schema/facts.schema.json: what a driver's probe writes, what a preset's discovery command prints, and the whole
// (golden tests, `cocoon plan --facts`).
Result<DriverFacts> parse_driver_facts(std::string_view json);
Result<Interpreter> parse_interpreter(std::string_view json);
Result<Facts> parse_facts(std::string_view json);
std::string to_json(const Facts& facts, int indent = -1);
std::string to_json(const Interpreter& interpreter, int indent = -1);

}  // namespace cocoon
