// Handover: the descriptors that the supervisor watches, the guest's own three, and at last init with the payload's argv.
#include "features.hpp"
#include "wire.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>

namespace cocoon::linux_driver {

void add_report(Steps& steps, const Wiring& wiring, const Stage& stage, const Watch& watch) {
  std::vector<Slot> slots;
  const auto open = [&](const std::string& path, int flags) {
    slots.push_back(steps.add_slot(steps.keep("open " + path + " for the supervisor"), SYS_openat, AT_FDCWD,
                                   steps.keep(path), flags | O_CLOEXEC, 0));
  };
  if (watch.has_proc) open("/proc", O_RDONLY | O_DIRECTORY);
  if (watch.has_sysv_shm) open("/proc/sysvipc/shm", O_RDONLY);
  if (watch.has_workspace) open(stage.workspace, O_RDONLY | O_DIRECTORY);
  // A mount in no mount table: it lives as long as its descriptor, and whoever holds that can attach it once.
  if (!watch.hand_on.empty())
    slots.push_back(steps.add_slot("clone the shared scratch for the next stage", SYS_open_tree, AT_FDCWD,
                                   watch.hand_on.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  for (const std::string& target : watch.tmpfs) open(target, O_PATH);
  if (!slots.empty()) {
    struct Control {
      alignas(cmsghdr) unsigned char bytes[CMSG_SPACE(sizeof(int) * 16)];
    };
    Control* control = steps.keep_value(Control{});
    iovec* data = steps.keep_value(iovec{});
    wire_record record = {};
    record.kind = WIRE_DESCRIPTORS;
    record.value = static_cast<std::int32_t>(slots.size());
    *data = {steps.keep_value(record), sizeof record};
    msghdr* message = steps.keep_value(msghdr{});
    message->msg_iov = data;
    message->msg_iovlen = 1;
    message->msg_control = control->bytes;
    message->msg_controllen = CMSG_SPACE(sizeof(int) * slots.size());
    cmsghdr* header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * slots.size());
    int* numbers = reinterpret_cast<int*>(CMSG_DATA(header));
    for (std::size_t i = 0; i < slots.size(); ++i) steps.store(slots[i], numbers + i);
    steps.add("hand descriptors to the supervisor", SYS_sendmsg, wiring.control, message, MSG_NOSIGNAL);
    for (const Slot slot : slots) {
      steps.add("close a descriptor", SYS_close, slot);
      steps.free_slot(slot);
    }
  }
  if (watch.wait_for_copies) {
    static char go;  // the byte's value does not matter
    steps.add("wait for the staged copies", SYS_read, wiring.control, &go, 1).expected = 1;
  }
}

void add_streams(Steps& steps, const Wiring& wiring) {
  steps.add("connect standard input", SYS_dup3, wiring.stdin_read, 0, 0);
  steps.add("connect standard output", SYS_dup3, wiring.stdout_write, 1, 0);
  steps.add("connect standard error", SYS_dup3, wiring.stderr_write, 2, 0);
  steps.add("connect the record channel", SYS_dup3, wiring.control, WIRE_FD, 0);
  steps.add("restore the file mode mask", SYS_umask, 022);
}

void add_start_init(Steps& steps, const Wiring& wiring, const Stage& stage) {
  // Whatever else is open belongs to the host program: gone with the execve.
  steps.add("close every other descriptor", SYS_close_range, WIRE_FD + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
  auto** argv = static_cast<char**>(steps.keep_bytes((stage.argv.size() + 2) * sizeof(char*)));
  auto** envp = static_cast<char**>(steps.keep_bytes((stage.env.size() + 1) * sizeof(char*)));
  const char mode = stage.init ? WIRE_MODE_INIT : WIRE_MODE_PAYLOAD_IS_PID1;
  argv[0] = const_cast<char*>(steps.keep(mode + stage.executable));
  for (std::size_t i = 0; i < stage.argv.size(); ++i) argv[i + 1] = const_cast<char*>(stage.argv[i].c_str());
  for (std::size_t i = 0; i < stage.env.size(); ++i)
    envp[i] = const_cast<char*>(steps.keep(stage.env[i].first + "=" + stage.env[i].second));
  steps.add("execute init", SYS_execveat, wiring.init, "", argv, envp, AT_EMPTY_PATH);
}

}  // namespace cocoon::linux_driver
