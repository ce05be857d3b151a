// One output stream of ours (terminal, pipe, file, socket) that takes the guest's output without ever blocking a run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cocoon::os {

class OutputStream {
 public:
  // fd stays the caller's.
  explicit OutputStream(int fd);
  ~OutputStream();
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  // Takes what it can without waiting: what the reader at the other end is not ready for is kept, up to 1 MiB. Returns
  // how much it took; less than data.size() once that is full. After the reader has gone, all is taken and dropped.
  std::size_t write(std::string_view data);

  // Waits until all that was taken has been written, the reader has gone, or cancel_fd (-1: never) is readable.
  void flush(int cancel_fd);

  bool reader_gone() const { return gone_; }  // or can't be written to at all
  // Why it can't be written to (errno), where the reason is not that nobody reads any more; otherwise 0.
  int error() const { return error_; }
  int fd() const { return fd_; }

 private:
  std::size_t write_some(std::string_view data);
  void write_kept();

  int fd_;
  int own_fd_ = -1;     // fd opened a second time, without blocking; -1 where that is impossible
  bool waits_ = false;  // a pipe, terminal or socket; a file never makes us wait
  bool gone_ = false;
  int error_ = 0;
  std::string kept_;
  std::size_t kept_from_ = 0;
};

}  // namespace cocoon::os
