// Identity and privilege: the user namespace's maps, session, keyring, no_new_privs and the capability sets.
#include "features.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

namespace cocoon::linux_driver {
namespace {

void write_file(Steps& steps, const char* name, const char* path, const std::string& text) {
  const Slot fd = steps.add_slot(name, SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  steps.add(name, SYS_write, fd, steps.keep(text), text.size()).expected = static_cast<std::int64_t>(text.size());
  steps.add(name, SYS_close, fd);
  steps.free_slot(fd);
}

int last_capability() {
  static const int last = [] {
    int capability = 40;  // the last one of the kernels from 5.9 on: two calls there, a walk elsewhere
    while (::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) < 0) --capability;
    while (::prctl(PR_CAPBSET_READ, capability + 1, 0, 0, 0) >= 0) ++capability;
    return capability;
  }();
  return last;
}

std::string map_line(std::uint32_t inside, std::uint32_t outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

}  // namespace

void add_die_with_parent(Steps& steps, const Wiring& wiring) {
  // With a copy of the other end open, the channel would never look closed from here.
  steps.add("close the supervisor's end", SYS_close, wiring.supervisor);
  steps.add("tie the sandbox to its supervisor", SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The supervisor may have died before that took effect; then its end of the channel is closed and poll says so.
  pollfd* alive = steps.keep_value(pollfd{wiring.control, 0, 0});
  steps.add("find the supervisor alive", SYS_ppoll, alive, 1, steps.keep_value(timespec{0, 0}), nullptr, 8).expected =
      0;
  steps.add("reset the file mode mask", SYS_umask, 0);
  // Handlers were reset by the clone; what the caller ignores (nohup, SIGPIPE in servers) the guest must not inherit.
  struct KernelSigaction {
    void* handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  };
  const KernelSigaction* fallback = nullptr;
  for (int number = 1; number <= 31; ++number) {
    struct sigaction current;
    if (number == SIGKILL || number == SIGSTOP || ::sigaction(number, nullptr, &current) != 0) continue;
    if (current.sa_handler != SIG_IGN) continue;
    if (!fallback) fallback = steps.keep_value(KernelSigaction{nullptr, 0, nullptr, 0});
    steps.add("reset an ignored signal", SYS_rt_sigaction, number, fallback, nullptr, sizeof(std::uint64_t));
  }
}

void add_identity(Steps& steps, const Identity& identity) {
  write_file(steps, "give up setgroups", "/proc/self/setgroups", "deny");
  write_file(steps, "write uid_map", "/proc/self/uid_map", map_line(identity.uid_inside, identity.uid_outside));
  write_file(steps, "write gid_map", "/proc/self/gid_map", map_line(identity.gid_inside, identity.gid_outside));
}

void add_session(Steps& steps) {
  steps.add("start a session", SYS_setsid);
  // The caller's session keyring may hold keys. A quota that is used up (many runs at once) is no breach: the filter
  // refuses every keyring call, and the new user namespace's own keyrings are empty.
  steps.add("join a keyring of its own", SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr).tolerated = {EDQUOT, ENOSYS};
}

void add_no_new_privs(Steps& steps) { steps.add("set no_new_privs", SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

void add_capability_drop(Steps& steps) {
  for (int capability = 0; capability <= last_capability(); ++capability)
    steps.add("drop the bounding set", SYS_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
  constexpr int bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                       SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  steps.add("lock the secure bits", SYS_prctl, PR_SET_SECUREBITS, bits, 0, 0, 0);
  steps.add("clear the ambient set", SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const auto* header = steps.keep_value(__user_cap_header_struct{_LINUX_CAPABILITY_VERSION_3, 0});
  struct Empty {
    __user_cap_data_struct data[2];
  };
  steps.add("clear every capability", SYS_capset, header, steps.keep_value(Empty{}));
}

}  // namespace cocoon::linux_driver
