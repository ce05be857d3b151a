// Carries works to threads: so many at once, so many waiting, the rest refused. One work never holds up another's end.
#pragma once

#include "mcp/backend.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace cocoon::transport {

// What becomes of works. Called from any thread, several at once; must not block.
class Events {
 public:
  virtual ~Events() = default;
  virtual void progress(std::uint64_t call, double value, std::optional<double> total, std::string message) = 0;
  virtual void log(std::uint64_t call, std::string level, mcp::Json data) = 0;
  virtual void finished(std::uint64_t call, mcp::Reply reply) = 0;
};

struct DispatcherLimits {
  std::size_t long_works = 4;       // at once
  std::size_t short_works = 2;      // likewise, on threads of their own
  std::size_t waiting_works = 256;  // of each kind
};

class Dispatcher {
 public:
  Dispatcher(mcp::Backend& backend, Events& events, DispatcherLimits limits);
  // Cancels what goes on and waits for it.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // [any thread] Every work ends with finished(), but for one that is cancelled before its turn.
  void start(mcp::Work work);
  void cancel(std::uint64_t call);
  void cancel_all();

  std::size_t running();  // long works
  std::size_t waiting();

 private:
  class Job;
  struct Lane {
    explicit Lane(std::size_t most) : most_threads(most) {}
    const std::size_t most_threads;
    std::deque<std::shared_ptr<Job>> waiting;
    std::size_t idle_threads = 0;
    std::size_t busy_threads = 0;
    std::condition_variable changed;
    std::vector<std::thread> threads;
  };

  void run(Lane& lane);

  mcp::Backend& backend_;
  Events& events_;
  const DispatcherLimits limits_;
  std::mutex mutex_;
  bool stopping_ = false;
  Lane long_;
  Lane short_;
  std::map<std::uint64_t, std::shared_ptr<Job>> jobs_;
};

}  // namespace cocoon::transport
