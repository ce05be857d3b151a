// Output streams on POSIX systems.
#include "host/os/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cocoon::os {
namespace {

constexpr std::size_t kKeptMax = 1024 * 1024;
// A pipe that polls writable takes this much (PIPE_BUF) without blocking.
constexpr std::size_t kPieceMax = 4096;

// O_NONBLOCK belongs to the open file, which we share with the shell: setting it would break whoever writes next. The
// same pipe or terminal opened once more has a flag of its own.
int open_again(int fd) {
#if defined(__linux__)
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
#else
  (void)fd;
  return -1;
#endif
}

bool is_writable(int fd) {
  pollfd entry = {fd, POLLOUT, 0};
  return ::poll(&entry, 1, 0) > 0;
}

}  // namespace

OutputStream::OutputStream(int fd) : fd_(fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) {
    gone_ = true;
    error_ = errno;
    return;
  }
  waits_ = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode) || S_ISSOCK(info.st_mode);
  if (S_ISFIFO(info.st_mode) || ::isatty(fd) != 0) own_fd_ = open_again(fd);
}

OutputStream::~OutputStream() {
  if (own_fd_ >= 0) ::close(own_fd_);
}

std::size_t OutputStream::write_some(std::string_view data) {
  std::size_t done = 0;
  while (done < data.size() && !gone_) {
    if (waits_ && own_fd_ < 0 && !is_writable(fd_)) break;
    const std::size_t piece = waits_ && own_fd_ < 0 ? std::min(data.size() - done, kPieceMax) : data.size() - done;
    const ssize_t n = ::write(own_fd_ >= 0 ? own_fd_ : fd_, data.data() + done, piece);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      gone_ = true;
      if (errno != EPIPE) error_ = errno;  // a full disk
    }
  }
  return gone_ ? data.size() : done;
}

void OutputStream::write_kept() {
  kept_from_ += write_some(std::string_view(kept_).substr(kept_from_));
  if (kept_from_ == kept_.size()) {
    kept_.clear();
    kept_from_ = 0;
  }
}

std::size_t OutputStream::write(std::string_view data) {
  if (!kept_.empty()) write_kept();
  std::size_t taken = kept_.empty() ? write_some(data) : 0;
  if (gone_) return data.size();
  const std::size_t room = kKeptMax - std::min(kKeptMax, kept_.size() - kept_from_);
  const std::size_t keep = std::min(room, data.size() - taken);
  if (keep > 0) {
    kept_.erase(0, kept_from_);
    kept_from_ = 0;
    kept_.append(data.substr(taken, keep));
  }
  return taken + keep;
}

void OutputStream::flush(int cancel_fd) {
  // A reader that does not read may hold us up for as long as it likes, but not once we are to end.
  constexpr int kPatienceMs = 100;
  bool cancelled = false;
  while (!kept_.empty() && !gone_) {
    pollfd entries[2] = {{own_fd_ >= 0 ? own_fd_ : fd_, POLLOUT, 0}, {cancel_fd, POLLIN, 0}};
    const bool watch = cancel_fd >= 0 && !cancelled;
    const int ready = ::poll(entries, watch ? 2 : 1, cancelled ? kPatienceMs : -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;
    if (watch && (entries[1].revents & POLLIN) != 0) cancelled = true;
    write_kept();
  }
}

}  // namespace cocoon::os
