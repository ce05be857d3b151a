// Kill tree: SIGKILL for every descendant of a process, without ever hitting a stranger.
#include "kill_tree.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cocoon::linux_driver {
namespace {

long parent_of(long pid) {
  char path[32];
  char text[512];
  std::snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t length = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (length <= 0) return -1;
  text[length] = '\0';
  const char* end_of_name = std::strrchr(text, ')');
  return end_of_name && std::strlen(end_of_name) > 4 ? std::strtol(end_of_name + 4, nullptr, 10) : -1;
}

void kill_children(long parent, int depth) {
  if (depth > 64 || parent <= 0) return;
  char path[64];
  char text[16384];
  std::snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", parent, parent);
  const int list = ::open(path, O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  const ssize_t length = ::read(list, text, sizeof text - 1);
  ::close(list);
  if (length <= 0) return;
  text[length] = '\0';
  for (char* at = text; *at;) {
    const long child = std::strtol(at, &at, 10);
    while (*at == ' ') ++at;
    if (child <= 0) return;
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (fd < 0) continue;
    if (parent_of(child) == parent) {
      kill_children(child, depth + 1);
      ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0);
    }
    ::close(fd);
  }
}

}  // namespace

void kill_descendants(long pid) { kill_children(pid, 0); }

}  // namespace cocoon::linux_driver
