// Appending on POSIX systems: one write a line, which O_APPEND keeps whole among several writers.
#include "host/os/append_file.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace cocoon::os {
namespace {

Unexpected<Error> failed(const std::string& path) {
  return fail("system", "can't be written: " + std::system_category().message(errno), path);
}

}  // namespace

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<AppendFile> AppendFile::open(const std::string& path) {
  AppendFile file;
  file.path_ = path;
  file.fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
  if (file.fd_ < 0) return failed(path);
  return file;
}

Result<void> AppendFile::append(std::string_view line) {
  while (fd_ >= 0 && !line.empty()) {
    const ssize_t n = ::write(fd_, line.data(), line.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed(path_);
    line.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

std::string utc_now() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  struct tm parts = {};
  ::gmtime_r(&now.tv_sec, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1'000'000);
  return text.data();
}

}  // namespace cocoon::os
