// One thread tells about all running guests; none of them waits for it.
#include "agent/live.hpp"

#include "host/utf8_repair.hpp"

#include <algorithm>

namespace cocoon::agent {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds interval{200};
// Clients end a call of which they hear nothing for a minute, unless progress tells that it goes on.
constexpr std::chrono::seconds heartbeat{5};
constexpr std::size_t longest_message = 2000;

}  // namespace

Live::Watch::Watch(Live& live, mcp::Observer& observer, std::optional<double> total_s)
    : live_(live), observer_(observer), total_s_(total_s), begin_(steady_clock::now()), told_(begin_) {
  const std::lock_guard lock(live_.mutex_);
  place_ = live_.watches_.insert(live_.watches_.end(), this);
  if (!live_.thread_.joinable()) live_.thread_ = std::thread(&Live::tick, &live_);
  live_.changed_.notify_one();
}

Live::Watch::~Watch() {
  const std::lock_guard lock(live_.mutex_);
  live_.watches_.erase(place_);
}

void Live::Watch::output(std::string_view data) {
  const std::lock_guard lock(live_.mutex_);
  pending_.append(data.substr(data.size() - std::min(data.size(), longest_message)));
  left_out_ += data.size() - std::min(data.size(), longest_message);
  if (pending_.size() <= longest_message) return;
  left_out_ += pending_.size() - longest_message;
  pending_.erase(0, pending_.size() - longest_message);
}

void Live::Watch::tell(steady_clock::time_point now) {
  if (pending_.empty() && now - told_ < heartbeat) return;
  const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  std::string message;
  if (pending_.empty()) {
    message = "running for " + std::to_string(static_cast<int>(elapsed_s)) + " s";
  } else {
    // A character of which only the beginning has come waits for its rest.
    const std::string_view whole = without_cut_end(pending_);
    const std::size_t taken = whole.empty() ? pending_.size() : whole.size();
    if (left_out_ > 0) message = "[" + std::to_string(left_out_) + " bytes left out]\n";
    message += repair_utf8(without_cut_start(std::string_view(pending_).substr(0, taken)));
    pending_.erase(0, taken);
    left_out_ = 0;
  }
  told_ = now;
  observer_.progress(elapsed_s, total_s_, std::move(message));
}

Live::~Live() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Live::tick() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (watches_.empty()) {
      changed_.wait(lock, [&] { return stopping_ || !watches_.empty(); });
    } else {
      changed_.wait_for(lock, interval, [&] { return stopping_; });
    }
    const auto now = steady_clock::now();
    for (Watch* watch : watches_) watch->tell(now);
  }
}

}  // namespace cocoon::agent
