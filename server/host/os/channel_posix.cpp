// The channel on POSIX systems.
#include "host/os/channel.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace cocoon::os {
namespace {

void unblock_stderr() {
  struct stat info;
  if (::fstat(2, &info) != 0) return;
  if (S_ISFIFO(info.st_mode)) {
    // Opened a second time: the flag of the first is shared with whoever gave it to us.
    const int again = ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (again < 0) return;
    ::dup2(again, 2);
    ::close(again);
  } else if (S_ISSOCK(info.st_mode)) {
    ::fcntl(2, F_SETFL, ::fcntl(2, F_GETFL) | O_NONBLOCK);
  }
}

}  // namespace

Result<Channel> take_channel() {
  const auto failed = [] { return fail("system", "no channel: " + std::system_category().message(errno), "stdin"); };
  unblock_stderr();
  Channel channel;
  channel.in = ::fcntl(0, F_DUPFD_CLOEXEC, 3);
  channel.out = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (channel.in < 0 || channel.out < 0 || nothing < 0) return failed();
  if (::dup2(nothing, 0) < 0 || ::dup2(2, 1) < 0) return failed();
  ::close(nothing);
  return channel;
}

int parent_end_fd() {
#if defined(__linux__) && defined(SYS_pidfd_open)
  // A signal at the parent's death would come when the thread that started us ends, which means nothing.
  const pid_t parent = ::getppid();
  if (parent <= 1) return -1;
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
  if (fd >= 0 && ::getppid() == parent) return fd;
  if (fd >= 0) ::close(fd);
#endif
  return -1;
}

void raise_open_files() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void exit_now(int code) { ::_exit(code); }

}  // namespace cocoon::os
