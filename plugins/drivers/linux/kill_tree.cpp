// Kill tree: SIGKILL for every descendant of a process, without ever hitting a stranger.
#include "kill_tree.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

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

// On the heap: a guest decides how deep its tree is, and the caller's stack may be small.
std::string children_of(long parent) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", parent, parent);
  std::string text(4096, '\0');
  std::size_t length = 0;
  const int list = ::open(path, O_RDONLY | O_CLOEXEC);
  if (list < 0) return {};
  for (ssize_t n; (n = ::read(list, text.data() + length, text.size() - length)) > 0;) {
    length += static_cast<std::size_t>(n);
    if (length == text.size()) text.resize(2 * length);
  }
  ::close(list);
  text.resize(length);
  return text;
}

void kill_children(long parent, int depth) {
  if (depth > 64) return;
  const std::string text = children_of(parent);
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    long child = 0;
    const auto [next, error] = std::from_chars(at, end, child);
    if (error != std::errc() || child <= 0) return;
    for (at = next; at < end && *at == ' ';) ++at;
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
