// The writing thread: as much as the reader takes, and no waiting once it is to stop.
#include "transport/line_writer.hpp"

#include "host/os/stream.hpp"

#include <string_view>
#include <utility>

namespace cocoon::transport {

LineWriter::LineWriter(int fd) : fd_(fd), thread_(&LineWriter::run, this) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.set();
  changed_.notify_all();
  thread_.join();
}

void LineWriter::write(std::string line) {
  line += '\n';
  const std::lock_guard lock(mutex_);
  if (broken_) return;
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  changed_.notify_all();
}

std::size_t LineWriter::waiting_bytes() {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool LineWriter::is_broken() {
  const std::lock_guard lock(mutex_);
  return broken_;
}

bool LineWriter::flush(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [&] { return bytes_ == 0 || broken_; });
  return bytes_ == 0;
}

void LineWriter::run() {
  os::OutputStream stream(fd_);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !lines_.empty(); });
    if (stopping_) return;
    std::string text;
    while (!lines_.empty()) {
      text += lines_.front();
      lines_.pop_front();
    }
    lock.unlock();
    std::string_view rest = text;
    while (!rest.empty() && !stream.reader_gone()) {
      rest.remove_prefix(stream.write(rest));
      stream.flush(stop_.fd());
      lock.lock();
      const bool stopping = stopping_;
      lock.unlock();
      if (stopping) break;
    }
    lock.lock();
    bytes_ -= text.size();
    if (stream.reader_gone()) {
      broken_ = true;
      bytes_ = 0;
      lines_.clear();
    }
    changed_.notify_all();
  }
}

}  // namespace cocoon::transport
