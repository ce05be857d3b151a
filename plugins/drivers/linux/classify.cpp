// Classify: what an ending means, in the words of the Outcome; and what our own failures mean for the user.
#include "classify.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace cocoon::linux_driver {
namespace {

constexpr const char* no_namespaces_hint =
    "allow unprivileged user namespaces for this program: sysctl user.max_user_namespaces must not be 0, on Debian "
    "kernel.unprivileged_userns_clone must be 1, on Ubuntu an AppArmor profile with 'userns,' is needed, and a "
    "container needs a seccomp profile that permits them";

Error explain_step_failure(const std::string& step, int error) {
  Error result{"setup_failed", "step '" + step + "' failed: " + std::strerror(error), step, ""};
  const auto starts = [&](const char* text) { return step.rfind(text, 0) == 0; };
  const bool refused = error == EPERM || error == EACCES;
  if (refused && (starts("write uid_map") || starts("write gid_map") || starts("give up setgroups")))
    result.hint =
        std::string("the kernel or a security module refuses to set up the user namespace: ") + no_namespaces_hint;
  else if (refused && starts("mount /proc"))
    result.hint =
        "the surrounding container masks parts of /proc, so the kernel refuses a fresh one: run the container "
        "with an unmasked /proc (docker: --security-opt systempaths=unconfined)";
  else if (refused &&
           (starts("make the mount table") || starts("attach") || starts("bind") || starts("create the root")))
    result.hint =
        std::string("a security module takes away the rights inside the user namespace: ") + no_namespaces_hint;
  else if (error == EMFILE || error == ENFILE)
    result.hint = "raise the limit of open files (ulimit -n) or run less at once";
  else if (error == E2BIG)
    result.hint = "the command line and the environment together are longer than the kernel takes";
  else if (error == ENOSYS)
    result.hint = "this kernel is too old for the call: Linux 5.13 or newer is needed";
  else if (error == ELOOP && (starts("bind") || starts("mount") || starts("open")))
    result.hint = "a symbolic link lies on the way; links are not followed here: name the real path";
  else if (error == ENOENT && starts("change to the working directory"))
    result.hint = "the folder is not visible inside: grant it with --ro or --work";
  else if (error == ENOSPC && starts("create the network namespace"))
    result.hint = "no more network namespaces are allowed here: see the sysctl user.max_net_namespaces";
  else if (error == ENOSPC)
    result.hint =
        "a limit of the kernel is reached: see the sysctls user.max_mnt_namespaces, fs.mount-max and their kin";
  return result;
}

void describe_isolation(Outcome& outcome, const Stage& stage) {
  const auto uses = [&](const char* name) {
    return std::find(stage.namespaces.begin(), stage.namespaces.end(), name) != stage.namespaces.end();
  };
  const auto add = [&](const char* layer, std::string text) { outcome.isolation.emplace_back(layer, std::move(text)); };
  const auto plain = [&](const char* layer, const char* text) {
    add(layer, uses(layer) ? std::string(text) : std::string("shared with the host"));
  };
  add("user", "user namespace, uid " + std::to_string(stage.identity.uid_inside) + " inside is " +
                  std::to_string(stage.identity.uid_outside) + " outside");
  add("mount", stage.root.rootfs.empty() ? "mount namespace, root assembled from the allow-list, read-only"
                                         : std::string("mount namespace, root is the bundle's rootfs, ") +
                                               (stage.root.writable ? "writable" : "read-only"));
  plain("pid", "pid namespace");
  add("net", !uses("net") ? "the host's network" : "network namespace, loopback only");
  plain("uts", "uts namespace");
  plain("ipc", "ipc namespace");
  plain("cgroup", "cgroup namespace");
  add("landlock",
      stage.landlock_abi ? "ABI " + std::to_string(stage.landlock_abi) : std::string("not available on this kernel"));
  add("seccomp", stage.seccomp.empty() ? std::string("none") : "filter '" + stage.seccomp + "'");
  add("capabilities", stage.drop_capabilities ? "none left" : "kept inside the user namespace");
  add("no_new_privs", stage.no_new_privs ? "set" : "not set");
  const auto enforced = [&](std::uint64_t limit, Enforcer by, const std::string& amount,
                            const char* sampled) -> std::string {
    if (limit == 0) return "no limit";
    switch (by) {
      case Enforcer::cgroup2:
        return amount + ", cgroup v2";
      case Enforcer::cgroup1:
        return amount + ", cgroup v1";
      case Enforcer::supervisor:
        return amount + ", " + sampled;
      case Enforcer::rlimit:
        return amount + ", rlimit of the user namespace";
      case Enforcer::none:
        break;
    }
    return "no limit";
  };
  const Limits& limits = stage.limits;
  add("memory",
      enforced(limits.memory_kib, limits.memory_by, std::to_string(limits.memory_kib) + " KiB",
               "sampled every 1 to 10 ms by the supervisor; kernel buffers and unmapped shared pages are not seen"));
  add("pids",
      enforced(limits.pids, limits.pids_by, std::to_string(limits.pids), "sampled every 10 ms by the supervisor"));
}

void set_killed(Outcome& outcome, Status status, int exit_code, const char* limit) {
  outcome.status = status;
  outcome.exit_code = exit_code;
  if (limit) outcome.limits_hit.emplace_back(limit);
}

// How the payload itself ended, when nobody of us ended it.
void read_wait_status(Outcome& outcome, const Ending& ending, const Stage& stage, bool oom) {
  const int status = ending.exited ? ending.exited->value : ending.init_status;
  if (WIFEXITED(status)) {
    outcome.status = Status::exited;
    outcome.exit_code = WEXITSTATUS(status);
    // A limit that made it fail is the reason it failed; one that it lived with is only mentioned.
    if (ending.pids_over)
      set_killed(outcome, outcome.exit_code ? Status::pids_limit : Status::exited, outcome.exit_code, "pids");
    if (ending.disk_full)
      set_killed(outcome, outcome.exit_code ? Status::disk_limit : Status::exited, outcome.exit_code, "disk");
    if (oom) set_killed(outcome, Status::oom_killed, outcome.exit_code, "memory");
    return;
  }
  outcome.signal = WTERMSIG(status);
  outcome.status = Status::signaled;
  outcome.exit_code = 128 + outcome.signal;
  if (outcome.signal == SIGKILL && oom) set_killed(outcome, Status::oom_killed, outcome.exit_code, "memory");
  if (outcome.signal == SIGXCPU && stage.limits.cpu_ms)
    set_killed(outcome, Status::cpu_limit, outcome.exit_code, "cpu");
  if (outcome.signal == SIGXFSZ && stage.limits.file_kib)
    set_killed(outcome, Status::disk_limit, outcome.exit_code, "disk");
}

void measure(Outcome& outcome, const Stage& stage, const Ending& ending, const RunCgroups& groups) {
  outcome.duration_ms = ending.duration_ms;
  std::uint64_t cpu_us = std::max(ending.sampled_cpu_us, ending.waited_cpu_us);
  // The group's count is complete but holds our own setup too: for runs that were killed, where nobody waited for the rest.
  if (ending.killed != KillReason::none) cpu_us = std::max(cpu_us, groups.cpu_us());
  outcome.cpu_ms = static_cast<double>(cpu_us) / 1000;
  outcome.stdout_bytes = ending.output_bytes[0];
  outcome.stderr_bytes = ending.output_bytes[1];
  outcome.peak_mem_kib = groups.peak_memory_kib();
  outcome.memory_meter = stage.limits.memory_by == Enforcer::cgroup2 ? "cgroup v2" : "cgroup v1";
  if (outcome.peak_mem_kib) return;
  const bool sampled =
      ending.sampled_peak_kib > ending.max_rss_kib || (ending.max_rss_is_ours && ending.sampled_peak_kib);
  outcome.peak_mem_kib = sampled ? ending.sampled_peak_kib : ending.max_rss_kib;
  outcome.memory_meter = sampled ? "sampled" : ending.max_rss_is_ours ? "at most" : "largest process";
}

}  // namespace

Error explain_clone_failure(int error) {
  Error result{"setup_failed", std::string("cannot create the namespaces: ") + std::strerror(error), "clone", ""};
  if (error == ENOSPC || error == EPERM || error == EACCES || error == EUSERS) {
    result.code = "no_user_namespaces";
    result.message = error == ENOSPC
                         ? "user namespaces are switched off or used up here (user.max_user_namespaces): " +
                               std::string(std::strerror(error))
                         : "this host refuses to create user namespaces: " + std::string(std::strerror(error));
    result.hint = no_namespaces_hint;
  } else if (error == EAGAIN) {
    result.hint = "too many processes: raise ulimit -u or run less at once";
  } else if (error == EINVAL || error == ENOSYS) {
    result.hint =
        "this kernel lacks a kind of namespace: it must be built with CONFIG_USER_NS, PID_NS, NET_NS, IPC_NS, UTS_NS";
  }
  return result;
}

Outcome classify(const Stage& stage, const Ending& ending, const RunCgroups& groups, const Steps& steps) {
  Outcome outcome;
  measure(outcome, stage, ending, groups);
  const auto refuse = [&](Error error) {
    outcome.status = Status::setup_failed;
    outcome.exit_code = 125;
    outcome.error = std::move(error);
    return outcome;
  };
  if (ending.failed) {
    const auto index = static_cast<std::size_t>(ending.failed->value);
    return refuse(
        explain_step_failure(index < steps.list().size() ? steps.list()[index].name : "?", ending.failed->error));
  }
  if (ending.copy_error) return refuse(*ending.copy_error);
  if (ending.killed == KillReason::blind)
    return refuse({"supervision_failed", "the run was ended since it could no longer be watched", "supervisor",
                   "there are no file descriptors or no memory left: raise ulimit -n or run less at once"});
  if (ending.killed == KillReason::setup)
    return refuse(
        {"setup_failed", "the sandbox was not ready when the time limit had passed", "",
         "raise --timeout; if that does not help, a granted folder may lie on a file system that does not answer"});
  if (!ending.started && ending.killed == KillReason::none && !ending.exec_failed)
    return refuse({"setup_failed", "the sandbox ended before its command was started", "init",
                   "something outside (an out-of-memory killer, an administrator) killed it"});

  // Without a record from init the wait status is all there is.
  if (ending.status_lost && !ending.exited && !ending.exec_failed && ending.killed == KillReason::none)
    return refuse({"status_lost", "the guest ran, but its exit status was taken by somebody else", "SIGCHLD",
                   "the program that embeds Cocoon must not ignore SIGCHLD or wait for children that are not its own"});

  describe_isolation(outcome, stage);
  outcome.planted = ending.planted;
  const bool oom = groups.oom_kills() > 0 || ending.killed == KillReason::memory;
  if (ending.exec_failed) {
    const int error = ending.exec_failed->error;
    if (error == EAGAIN || error == ENOMEM)
      return refuse({"setup_failed", std::string("the command's process could not be made: ") + std::strerror(error),
                     "fork",
                     "too many processes or too little memory: raise ulimit -u, --pids or --mem, or run less at once"});
    const std::string& command = stage.executable.empty() ? stage.argv[0] : stage.executable;
    outcome.status = Status::exited;
    outcome.exit_code = error == ENOENT || error == ENOTDIR ? 127 : 126;
    outcome.error =
        Error{outcome.exit_code == 127 ? "command_not_found" : "command_not_executable",
              "'" + command + "' cannot be executed in the sandbox: " + std::strerror(error), command,
              outcome.exit_code == 127 ? "programs are looked up in PATH inside; what lies outside the system "
                                         "folders must be granted with --ro"
              : error == ENOEXEC       ? "a script needs a first line such as #!/bin/sh"
                                       : "it must be a file with the execute permission"};
    return outcome;
  }
  // Init reported an end that came before our kill took effect: then the payload ended by itself, in time.
  const bool known_exit =
      ending.exited || (!stage.init && ending.reaped && !ending.status_lost && WIFEXITED(ending.init_status));
  const bool ended_itself =
      known_exit && (ending.killed == KillReason::timeout || ending.killed == KillReason::cancelled);
  const KillReason reason = ended_itself ? KillReason::none : ending.killed;
  switch (reason) {
    case KillReason::none:
      read_wait_status(outcome, ending, stage, oom);
      break;
    case KillReason::timeout:
      set_killed(outcome, Status::timed_out, 124, "timeout");
      break;
    case KillReason::memory:
      set_killed(outcome, Status::oom_killed, 137, "memory");
      break;
    case KillReason::pids:
      set_killed(outcome, Status::pids_limit, 137, "pids");
      break;
    case KillReason::cpu:
      set_killed(outcome, Status::cpu_limit, 137, "cpu");
      break;
    case KillReason::output:
      set_killed(outcome, Status::output_limit, 137, "output");
      break;
    case KillReason::cancelled:
      set_killed(outcome, Status::cancelled, 137, nullptr);
      break;
    case KillReason::setup:
    case KillReason::blind:
      break;
  }
  if (reason != KillReason::none) {
    if (reason != KillReason::timeout) outcome.signal = SIGKILL;
    if (ending.disk_full) outcome.limits_hit.emplace_back("disk");
    if (ending.pids_over && reason != KillReason::pids) outcome.limits_hit.emplace_back("pids");
  }
  return outcome;
}

}  // namespace cocoon::linux_driver
