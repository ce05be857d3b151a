// Output as progress: what running guests print reaches whoever wants to watch, a few times a second.
#pragma once

#include "mcp/backend.hpp"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace cocoon::agent {

class Live {
 public:
  // One run that is watched, until it is destroyed.
  class Watch {
   public:
    Watch(Live& live, mcp::Observer& observer, std::optional<double> total_s);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void output(std::string_view data);  // the run's thread; does not block

   private:
    friend class Live;
    void tell(std::chrono::steady_clock::time_point now);

    Live& live_;
    mcp::Observer& observer_;
    const std::optional<double> total_s_;
    const std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point told_;
    std::string pending_;
    std::size_t left_out_ = 0;
    std::list<Watch*>::iterator place_;
  };

  Live() = default;
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

 private:
  void tick();

  std::mutex mutex_;  // of everything, the watches' members as well
  std::condition_variable changed_;
  std::list<Watch*> watches_;
  bool stopping_ = false;
  std::thread thread_;  // started by the first watch
};

}  // namespace cocoon::agent
