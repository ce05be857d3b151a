// Threads are made as they are needed and kept: a guest ends with the thread that started it.
#include "transport/dispatcher.hpp"

#include "host/os/signals.hpp"

#include <atomic>
#include <exception>

namespace cocoon::transport {

class Dispatcher::Job : public mcp::Observer {
 public:
  Job(Events& events, mcp::Work work) : events_(events), work_(std::move(work)) {}

  void progress(double value, std::optional<double> total, std::string message) override {
    events_.progress(work_.call, value, total, std::move(message));
  }
  void log(std::string_view level, mcp::Json data) override {
    events_.log(work_.call, std::string(level), std::move(data));
  }
  bool cancelled() const override { return cancelled_.load(); }
  int cancel_fd() const override { return event_ ? event_->fd() : -1; }

  const mcp::Work& work() const { return work_; }

  // Under the dispatcher's lock, as cancel() is. A work that waits needs no descriptors.
  void begin() {
    event_.emplace();
    if (cancelled_) event_->set();
  }
  void cancel() {
    if (!cancelled_.exchange(true) && event_) event_->set();
  }

 private:
  Events& events_;
  const mcp::Work work_;
  std::atomic<bool> cancelled_ = false;
  std::optional<os::Event> event_;
};

Dispatcher::Dispatcher(mcp::Backend& backend, Events& events, DispatcherLimits limits)
    : backend_(backend), events_(events), limits_(limits), long_(limits.long_works), short_(limits.short_works) {}

Dispatcher::~Dispatcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [call, job] : jobs_) job->cancel();
  }
  for (Lane* lane : {&long_, &short_}) {
    lane->changed.notify_all();
    for (std::thread& thread : lane->threads) thread.join();
  }
}

void Dispatcher::start(mcp::Work work) {
  Lane& lane = backend_.is_long(work) ? long_ : short_;
  std::unique_lock lock(mutex_);
  if (lane.waiting.size() >= limits_.waiting_works + lane.idle_threads) {
    lock.unlock();
    mcp::Reply reply = backend_.refuse_busy(work);
    events_.finished(work.call, std::move(reply));
    return;
  }
  const std::uint64_t call = work.call;
  auto job = std::make_shared<Job>(events_, std::move(work));
  jobs_.emplace(call, job);
  lane.waiting.push_back(std::move(job));
  if (lane.idle_threads < lane.waiting.size() && lane.threads.size() < lane.most_threads)
    lane.threads.emplace_back(&Dispatcher::run, this, std::ref(lane));
  lane.changed.notify_one();
}

void Dispatcher::cancel(std::uint64_t call) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(call);
  if (found == jobs_.end()) return;
  found->second->cancel();
  // What has not begun makes room for others.
  for (Lane* lane : {&long_, &short_}) {
    if (std::erase(lane->waiting, found->second) == 0) continue;
    jobs_.erase(found);
    return;
  }
}

void Dispatcher::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [call, job] : jobs_) job->cancel();
}

std::size_t Dispatcher::running() {
  const std::lock_guard lock(mutex_);
  return long_.busy_threads;
}

std::size_t Dispatcher::waiting() {
  const std::lock_guard lock(mutex_);
  return long_.waiting.size();
}

void Dispatcher::run(Lane& lane) {
  std::unique_lock lock(mutex_);
  while (true) {
    ++lane.idle_threads;
    lane.changed.wait(lock, [&] { return stopping_ || !lane.waiting.empty(); });
    --lane.idle_threads;
    if (lane.waiting.empty()) return;
    const std::shared_ptr<Job> job = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    mcp::Reply reply;
    if (!job->cancelled()) {
      job->begin();
      ++lane.busy_threads;
      lock.unlock();
      reply = job->cancel_fd() < 0 ? mcp::Reply{{}, mcp::RpcError{mcp::code_internal, "no descriptor is left", {}}}
                                   : backend_.perform(job->work(), *job);
      lock.lock();
      --lane.busy_threads;
    }
    const std::uint64_t call = job->work().call;
    jobs_.erase(call);
    lock.unlock();
    events_.finished(call, std::move(reply));
    lock.lock();
  }
}

}  // namespace cocoon::transport
