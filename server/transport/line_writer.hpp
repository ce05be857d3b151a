// Writes whole lines to a descriptor on a thread of its own, so that a slow reader holds up nobody.
#pragma once

#include "host/os/signals.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace cocoon::transport {

class LineWriter {
 public:
  explicit LineWriter(int fd);
  // Does not wait for a reader: what is not written by then is lost.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // [any thread]
  void write(std::string line);  // the line's end is added
  std::size_t waiting_bytes();
  bool is_broken();                               // nobody will ever read it
  bool flush(std::chrono::milliseconds at_most);  // whether all is written

 private:
  void run();

  const int fd_;
  const os::Event stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;  // of lines, and of what is being written
  bool stopping_ = false;
  bool broken_ = false;
  std::thread thread_;
};

}  // namespace cocoon::transport
