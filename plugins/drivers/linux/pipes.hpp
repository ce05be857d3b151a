// Pipes: the guest's standard streams, moved without ever waiting for the guest or for who reads what it says.
#pragma once

#include "clock.hpp"

#include <cocoon/abi.h>

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace cocoon::linux_driver {

// What the supervisor waits for.
struct PollSet {
  pollfd fds[10];
  nfds_t count = 0;

  // Where its answer will be; -1: there is no such descriptor.
  int add(int fd, short events) {
    if (fd < 0) return -1;
    fds[count] = {fd, events, 0};
    return static_cast<int>(count++);
  }
  bool answered(int index) const { return index >= 0 && fds[index].revents != 0; }
};

class Pipes {
 public:
  // Takes the descriptors: our ends of the guest's output (stdout, stderr) and input; -1: not there. max_bytes: of both
  // streams; 0: any number.
  Pipes(const int (&output)[2], int input, const cocoon_run_io& io, std::uint64_t max_bytes);
  ~Pipes();
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  // False: a reader holds something back that can't be waited for with poll; look again soon.
  bool add_to(PollSet& set) const;
  // A bounded piece of what is there: a flood must not keep the caller from its deadline.
  void move();
  // Once the guest is gone: what is left, for as long as its reader takes it until then.
  void drain(Nanoseconds until);
  std::uint64_t bytes(int stream) const { return bytes_[stream]; }
  bool too_much() const { return max_bytes_ != 0 && bytes_[0] + bytes_[1] > max_bytes_; }

 private:
  static constexpr std::size_t chunk = 65536;

  void move_output();
  void feed_input();
  bool read_chunk(int stream);
  bool offer(int stream);

  int output_[2];
  int input_;
  const cocoon_run_io& io_;
  const std::uint64_t max_bytes_;
  std::uint64_t bytes_[2] = {0, 0};
  bool widened_[2] = {false, false};
  std::string pending_[2];  // read, not yet taken
  std::string unwritten_;   // input that did not fit
  char buffer_[chunk];
};

}  // namespace cocoon::linux_driver
