// cocoon spec: a bundle that runs as it is, where the host's programs are usable, and is easy to change.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"
#include "host/os/paths.hpp"

namespace cocoon::cli {
namespace {

constexpr const char* kIntro =
    R"(# One sandboxed program. Try it:  cocoon exec THIS_FOLDER --json

# The program and its arguments. Double quotes group words.
argv = /bin/sh -c "echo hello from the sandbox"

# Where it starts, and the host name it sees.
cwd = /
hostname = cocoon

# env = NAME=VALUE          (may be repeated)
# timeout = 30              (seconds; also 500ms, 2m)
# memory_max = 1024         (MiB; also 1G)
# pids_max = 256
# net = isolated            (or: host)
# readonly = true           (false: the program may change rootfs/)
# profile = strict          (or: build)

# The host's programs, read-only, as SOURCE:TARGET:ro|rw. Remove these lines once rootfs/ holds programs of its own.
)";

// The folders of the host's system tree, in the shape they have here: on many systems /bin is a link into /usr.
Result<std::string> make_rootfs(const std::string& rootfs) {
  std::string mounts;
  for (const char* name : {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix", "gnu"}) {
    const std::string host = std::string("/") + name;
    const std::string inside = os::join(rootfs, name);
    if (const std::optional<std::string> link = os::link_text(host)) {
      if (Result<void> made = os::make_link(inside, *link); !made) return Unexpected<Error>{made.error()};
    } else if (os::is_folder(host)) {
      if (Result<void> made = os::make_folder(inside, 0755); !made) return Unexpected<Error>{made.error()};
      mounts.append("mount = ").append(host).append(":").append(host).append(":ro\n");
    }
  }
  for (const char* name : {"etc", "dev", "proc", "tmp", "root"}) {
    const std::string inside = os::join(rootfs, name);
    if (Result<void> made = os::make_folder(inside, 0755); !made) return Unexpected<Error>{made.error()};
  }
  return mounts;
}

Result<void> make_bundle(const std::string& folder) {
  if (Result<void> made = os::make_folders(folder, 0755); !made) return made;
  const std::string conf = os::join(folder, "cocoon.conf");
  const std::string rootfs = os::join(folder, "rootfs");
  for (const std::string& path : {conf, rootfs}) {
    if (os::exists(path)) return fail("exists", "is there already, and nothing is overwritten", path);
  }
  if (Result<void> made = os::make_folder(rootfs, 0755); !made) return made;
  const Result<std::string> mounts = make_rootfs(rootfs);
  if (!mounts) return Unexpected<Error>{mounts.error()};
  return os::create_file(conf, kIntro + *mounts, 0644);
}

}  // namespace

int spec_command(std::span<const std::string> arguments) {
  std::vector<Flag> flags;
  Common common;
  add_common_flags(flags, common);
  const Result<Words> words = read_flags(flags, arguments, [] { return false; });
  if (!words) return report(words.error(), false, kExitUsage);
  if (common.help) return show_help("spec", flags);
  if (words->before.size() != 1 || words->marked || words->before[0].empty()) {
    return report({"usage", "takes one folder to make", "spec", {}}, false, kExitUsage);
  }
  const std::string& folder = words->before[0];
  const Result<std::string> cwd = os::current_folder();
  if (!cwd) return report(cwd.error(), false, kExitRefused);
  if (Result<void> made = make_bundle(os::absolute(folder, *cwd)); !made) {
    return report(made.error(), false, kExitRefused);
  }
  print("made " + os::join(folder, "cocoon.conf") + " and " + os::join(folder, "rootfs") + "; try: cocoon exec " +
        folder + " --json\n");
  return 0;
}

}  // namespace cocoon::cli
