// A plan as a person reads it: one step per line, in the order in which it happens.
#include "plan/planner.hpp"
#include "plan/text.hpp"

#include <cstdint>

namespace cocoon {
namespace {

std::string kib_text(std::uint64_t kib) {
  if (kib % 1024 == 0) return std::to_string(kib / 1024) + " MiB";
  return std::to_string(kib) + " KiB";
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes % 1024 == 0) return kib_text(bytes / 1024);
  return std::to_string(bytes) + " bytes";
}

std::string time_text(std::uint64_t ms) {
  if (ms % 1000 == 0) return std::to_string(ms / 1000) + " s";
  return std::to_string(ms) + " ms";
}

// As a shell would have to be told.
std::string word_text(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

std::string mount_text(const Mount& mount) {
  const std::string at = mount.target;
  const std::string ending = mount.optional ? ", if it exists" : "";
  switch (mount.kind) {
    case MountKind::directory:
      return "make the folder " + at;
    case MountKind::symlink:
      return "link " + at + " -> " + mount.source;
    case MountKind::file:
      return "write " + at + " (" + std::to_string(mount.content.size()) + " bytes)";
    case MountKind::bind: {
      if (mount.device) return "bind the device " + at + ending;
      const std::string from = mount.source == at ? at : mount.source + " at " + at;
      return "bind " + from + (mount.writable ? ", writable" : ", read-only") + ending;
    }
    case MountKind::tmpfs:
      return "mount private memory at " + at + ", " + kib_text(mount.size_kib) + ", " + std::to_string(mount.inodes) +
             " files" + (mount.shared ? ", shared by the steps" : "");
    case MountKind::proc:
      return "mount the sandbox's own processes at " + at;
    case MountKind::devpts:
      return "mount private terminals at " + at;
    case MountKind::mask:
      return "hide " + at + ending;
    case MountKind::remount_ro:
      return "make " + at + " read-only" + ending;
  }
  return {};
}

std::string_view enforcer_text(Enforcer enforcer) {
  switch (enforcer) {
    case Enforcer::none:
      return "nobody";
    case Enforcer::cgroup2:
      return "cgroup v2";
    case Enforcer::cgroup1:
      return "cgroup v1";
    case Enforcer::supervisor:
      return "the supervisor";
    case Enforcer::rlimit:
      return "an rlimit";
  }
  return {};
}

class Explainer {
 public:
  explicit Explainer(std::vector<PlanStep>& steps) : steps_(steps) {}

  void explain(const Stage& stage) {
    identity(stage);
    filesystem(stage);
    for (const Copy& copy : stage.copies)
      add("copy", "copy " + copy.source + " to " + stage.workspace + "/" + copy.name);
    add("network", stage.network == Network::host ? "the host's network" : "no network but a loopback of its own");
    limits(stage.limits);
    hardening(stage);
    exec(stage);
  }

  void pipeline(const Plan& plan) {
    add("pipeline", std::to_string(plan.stages.size()) + " steps, one after another" +
                        (plan.timeout_ms != 0 ? ", " + time_text(plan.timeout_ms) + " for all of them" : ""));
    add("pipeline", plan.keep_going ? "go on after a step that fails" : "stop at the first step that fails");
  }

  void begin(const Stage& stage, std::size_t number, std::size_t count) {
    add("step", std::to_string(number) + " of " + std::to_string(count) + ": " + stage.name);
  }

 private:
  // Names and code may hold line breaks and what a terminal would take for commands.
  void add(std::string_view phase, const std::string& text) {
    std::string line;
    for (const char c : text) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\n') {
        line += "\\n";
      } else if (byte < 0x20 || byte == 0x7f) {
        ((line += "\\x") += digits[byte >> 4U]) += digits[byte & 15U];
      } else {
        line += c;
      }
    }
    steps_.push_back({std::string(phase), std::move(line)});
  }

  void identity(const Stage& stage) {
    const Identity& id = stage.identity;
    add("identity", "new namespaces: " + joined(stage.namespaces, " "));
    add("identity", "user " + std::to_string(id.uid_inside) + ", group " + std::to_string(id.gid_inside) +
                        " inside; user " + std::to_string(id.uid_outside) + ", group " +
                        std::to_string(id.gid_outside) + " on the host");
    if (!stage.hostname.empty()) add("identity", "host name " + stage.hostname);
  }

  void filesystem(const Stage& stage) {
    const Root& root = stage.root;
    if (root.rootfs.empty()) {
      add("filesystem", "assemble a root from nothing");
    } else {
      add("filesystem", "take " + root.rootfs + " as the root, " + (root.writable ? "writable" : "read-only"));
    }
    for (const Mount& mount : stage.mounts) add("filesystem", mount_text(mount));
    add("filesystem", "enter the root and drop the old one");
    for (const std::string& folder : stage.create_folders) add("filesystem", "make the host folder " + folder);
    if (!stage.protected_paths.empty())
      add("filesystem", "report if the run creates one of " + joined(stage.protected_paths, " "));
    if (!stage.protected_kept.empty())
      add("filesystem", "report if the run replaces one of " + joined(stage.protected_kept, " "));
  }

  void limits(const Limits& limits) {
    add("limits", "time " + time_text(limits.timeout_ms));
    if (limits.memory_kib != 0)
      add("limits", "memory " + kib_text(limits.memory_kib) + " for all processes, by " +
                        std::string(enforcer_text(limits.memory_by)) + (limits.memory_rlimit ? " and an rlimit" : ""));
    if (limits.pids != 0)
      add("limits", "processes and threads " + std::to_string(limits.pids) + ", by " +
                        std::string(enforcer_text(limits.pids_by)));
    if (limits.cpu_ms != 0) add("limits", "CPU time " + time_text(limits.cpu_ms) + " for all processes");
    if (limits.output_bytes != 0) add("limits", "output " + bytes_text(limits.output_bytes));
    if (limits.file_kib != 0) add("limits", "files up to " + kib_text(limits.file_kib));
    if (limits.open_files != 0) add("limits", std::to_string(limits.open_files) + " open files a process");
  }

  void hardening(const Stage& stage) {
    if (stage.no_new_privs) add("capabilities", "no new privileges");
    if (stage.drop_capabilities) add("capabilities", "drop all capabilities");
    if (stage.landlock_abi != 0)
      add("filesystem", "Landlock (ABI " + std::to_string(stage.landlock_abi) + "): writable are only " +
                            joined(stage.landlock_writable, " "));
    if (!stage.seccomp.empty()) add("seccomp", "system call filter \"" + stage.seccomp + "\"");
  }

  void exec(const Stage& stage) {
    add("exec", "in " + stage.cwd + (stage.init ? ", below a small init" : ", as process 1") +
                    (stage.stdin_open ? "" : ", with empty standard input"));
    std::string command;
    for (const std::string& word : stage.argv) (command += command.empty() ? "" : " ") += word_text(word);
    add("exec", command);
  }

  std::vector<PlanStep>& steps_;
};

}  // namespace

std::vector<PlanStep> explain(const Plan& plan) {
  std::vector<PlanStep> steps;
  Explainer explainer(steps);
  const std::size_t count = plan.stages.size();
  const bool is_pipeline = plan.timeout_ms != 0 || count > 1;
  if (is_pipeline) explainer.pipeline(plan);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_pipeline) explainer.begin(plan.stages[i], i + 1, count);
    explainer.explain(plan.stages[i]);
  }
  return steps;
}

}  // namespace cocoon
