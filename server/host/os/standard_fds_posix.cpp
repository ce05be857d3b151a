// Standard descriptors on POSIX systems.
#include "host/os/standard_fds.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cerrno>
#include <system_error>

namespace cocoon::os {
namespace {

int anonymous_file() {
#if defined(__linux__)
  return ::memfd_create("cocoon-stdin", MFD_CLOEXEC);
#else
  std::string path = "/tmp/cocoon-stdin.XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(path.c_str());
  return fd;
#endif
}

}  // namespace

void open_missing_standard_fds() {
  for (const int fd : {kStdin, kStdout, kStderr}) {
    // The lowest free descriptor is the one that is missing: those below it are open by now.
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", fd == kStdin ? O_RDONLY : O_WRONLY);
  }
}

bool is_terminal(int fd) { return ::isatty(fd) != 0; }

Result<int> open_for_reading(const std::string& path) {
  // A named pipe without a writer must not hold up the call: its guest has a deadline, and waits there.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return fail("system", "cannot be opened: " + std::system_category().message(errno), path);
  struct stat info;
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(fd);
    return fail("bad_path", "is a folder, not something to read", path);
  }
  return fd;
}

Result<int> readable_text(std::string_view text) {
  const int fd = anonymous_file();
  bool good = fd >= 0;
  while (good && !text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    if (good) text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (good && ::lseek(fd, 0, SEEK_SET) == 0) return fd;
  const int error = errno;
  close_fd(fd);
  return fail("system", "no room for it: " + std::system_category().message(error), "stdin");
}

void close_fd(int fd) {
  if (fd >= 0) ::close(fd);
}

}  // namespace cocoon::os
