// Pipes: the guest's standard streams, moved without ever waiting for the guest or for who reads what it says.
#include "pipes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cocoon::linux_driver {
namespace {

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

Pipes::Pipes(const int (&output)[2], int input, const cocoon_run_io& io, std::uint64_t max_bytes)
    : output_{output[0], output[1]}, input_(input), io_(io), max_bytes_(max_bytes) {
  for (const int fd : {output_[0], output_[1], input_})
    if (fd >= 0) ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

Pipes::~Pipes() {
  for (int* fd : {&output_[0], &output_[1], &input_}) close_fd(*fd);
}

bool Pipes::add_to(PollSet& set) const {
  bool all = true;
  for (int stream = 0; stream < 2; ++stream) {
    if (pending_[stream].empty())
      set.add(output_[stream], POLLIN);
    else if (io_.busy_fd[stream] >= 0)
      set.add(io_.busy_fd[stream], POLLOUT);
    else
      all = false;
  }
  if (input_ >= 0) {
    if (unwritten_.empty())
      set.add(io_.stdin_fd, POLLIN);
    else
      set.add(input_, POLLOUT);
  }
  return all;
}

void Pipes::move() {
  move_output();
  feed_input();
}

void Pipes::move_output() {
  for (int stream = 0; stream < 2; ++stream) {
    for (int turn = 0; turn < 16; ++turn) {
      if (!pending_[stream].empty() && !offer(stream)) break;
      if (output_[stream] < 0 || !read_chunk(stream)) break;
      if (too_much()) return;
    }
  }
}

// False: nothing to read now.
bool Pipes::read_chunk(int stream) {
  const ssize_t length = ::read(output_[stream], buffer_, chunk);
  if (length < 0 && errno == EINTR) return true;
  if (length < 0) return false;
  if (length == 0) {
    close_fd(output_[stream]);
    return false;
  }
  const auto size = static_cast<std::size_t>(length);
  if (size == chunk && !widened_[stream]) {
    // A flood: fewer wake-ups. It fails where the user's quota for pipes is used up, and that is fine.
    widened_[stream] = true;
    ::fcntl(output_[stream], F_SETPIPE_SZ, 1 << 20);
  }
  bytes_[stream] += size;
  if (!io_.write) return true;
  const std::size_t taken = std::min(io_.write(io_.ctx, stream + 1, buffer_, size), size);
  pending_[stream].assign(buffer_ + taken, size - taken);
  return true;
}

// True: all that was pending has been taken.
bool Pipes::offer(int stream) {
  std::string& text = pending_[stream];
  const std::size_t taken = io_.write(io_.ctx, stream + 1, text.data(), text.size());
  text.erase(0, std::min(taken, text.size()));
  return text.empty();
}

void Pipes::feed_input() {
  if (input_ < 0) return;
  if (unwritten_.empty()) {
    if (io_.stdin_fd < 0) return close_fd(input_);
    pollfd readable{io_.stdin_fd, POLLIN, 0};
    if (::poll(&readable, 1, 0) <= 0) return;
    const ssize_t length = ::read(io_.stdin_fd, buffer_, chunk);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (length <= 0) return close_fd(input_);
    unwritten_.assign(buffer_, static_cast<std::size_t>(length));
  }
  const ssize_t written = ::write(input_, unwritten_.data(), unwritten_.size());
  if (written > 0)
    unwritten_.erase(0, static_cast<std::size_t>(written));
  else if (written < 0 && errno != EAGAIN && errno != EINTR)
    close_fd(input_);  // the guest does not read any more
}

void Pipes::drain(Nanoseconds until) {
  for (int stream = 0; stream < 2; ++stream) {
    for (;;) {
      if (!pending_[stream].empty() && !offer(stream)) {
        const Nanoseconds remaining = until - now();
        if (remaining <= 0) break;
        pollfd busy{io_.busy_fd[stream], POLLOUT, 0};
        const bool can_wait = busy.fd >= 0;
        const timespec timeout = as_timespec(can_wait ? remaining : std::min(remaining, 10 * millisecond));
        ::ppoll(&busy, can_wait ? 1 : 0, &timeout, nullptr);
        continue;
      }
      // Somebody outside may hold the pipe (sent over a socket in the workspace): read what is there, wait for nothing.
      if (output_[stream] < 0 || !read_chunk(stream)) break;
      if (now() > until) break;
    }
  }
}

}  // namespace cocoon::linux_driver
