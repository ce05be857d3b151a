// Stages: all of a plan, one after another, each in a sandbox of its own.
#include "stages.hpp"

#include "clock.hpp"
#include "run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cocoon::linux_driver {
namespace {

constexpr const char* driver_name = "linux";

std::uint64_t now_ms() { return static_cast<std::uint64_t>(now() / millisecond); }

class StageRunner {
 public:
  StageRunner(const Plan& plan, const cocoon_run_io& io) : plan_(plan), io_(io), start_ms_(now_ms()) {}
  StageRunner(const StageRunner&) = delete;
  StageRunner& operator=(const StageRunner&) = delete;
  ~StageRunner() { drop(); }

  Outcome run() {
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      tell(i, {});
      outcomes.push_back(run_one(i));
      Outcome& outcome = outcomes.back();
      outcome.name = plan_.stages[i].name;
      outcome.driver = driver_name;
      tell(i, to_json(outcome));
      planted_.insert(planted_.end(), outcome.planted.begin(), outcome.planted.end());
      if (!may_go_on(outcome)) break;
    }
    const std::size_t skipped = plan_.stages.size() - outcomes.size();
    return join_steps(std::move(outcomes), skipped);
  }

 private:
  Outcome run_one(std::size_t index) {
    Stage stage = plan_.stages[index];
    // What an earlier stage planted has been reported, and is there before this one begins.
    std::erase_if(stage.protected_paths, [&](const std::string& path) {
      return std::find(planted_.begin(), planted_.end(), path) != planted_.end();
    });
    if (plan_.timeout_ms != 0) {
      const std::uint64_t used_ms = now_ms() - start_ms_;
      if (used_ms >= plan_.timeout_ms) return out_of_time();
      stage.limits.timeout_ms = std::min(stage.limits.timeout_ms, plan_.timeout_ms - used_ms);
    }
    Baton baton{shared_, index + 1 < plan_.stages.size()};
    Outcome outcome = run_stage(stage, io_, {}, &baton);
    const int received = baton.shared == shared_ ? -1 : baton.shared;
    const auto is_shared = [](const Mount& mount) { return mount.shared; };
    lost_ = received < 0 && std::any_of(stage.mounts.begin(), stage.mounts.end(), is_shared);
    drop();
    return keep(received, std::move(outcome));
  }

  // Out of the way of the descriptors that the next guest gets.
  Outcome keep(int received, Outcome outcome) {
    if (received < 0) return outcome;
    shared_ = ::fcntl(received, F_DUPFD_CLOEXEC, 10);
    const int error = errno;
    ::close(received);
    if (shared_ >= 0) return outcome;
    outcome.status = Status::setup_failed;
    outcome.exit_code = 125;
    outcome.error = Error{"setup_failed", std::string("cannot keep the shared scratch: ") + std::strerror(error), "",
                          "raise the limit of open files (ulimit -n)"};
    return outcome;
  }

  static Outcome out_of_time() {
    Outcome outcome;
    outcome.status = Status::timed_out;
    outcome.exit_code = 124;
    outcome.limits_hit.emplace_back("timeout");
    return outcome;
  }

  bool may_go_on(const Outcome& outcome) const {
    if (succeeded(outcome)) return true;
    if (lost_) return false;
    if (outcome.status == Status::setup_failed || outcome.status == Status::cancelled) return false;
    const bool time_left = plan_.timeout_ms == 0 || now_ms() - start_ms_ < plan_.timeout_ms;
    return plan_.keep_going && time_left;
  }

  void tell(std::size_t index, const std::string& outcome) {
    if (COCOON_HAS(cocoon_run_io, &io_, step) && io_.step != nullptr)
      io_.step(io_.ctx, static_cast<std::uint32_t>(index), {outcome.data(), outcome.size()});
  }

  void drop() {
    if (shared_ >= 0) ::close(shared_);
    shared_ = -1;
  }

  const Plan& plan_;
  const cocoon_run_io& io_;
  std::uint64_t start_ms_;
  std::vector<std::string> planted_;
  int shared_ = -1;    // the scratch as the last stage handed it on
  bool lost_ = false;  // the last stage ended before it could: what the earlier ones wrote is gone
};

}  // namespace

Outcome run_stages(const Plan& plan, const cocoon_run_io& io) {
  if (plan.timeout_ms != 0 || plan.stages.size() > 1) return StageRunner(plan, io).run();
  Outcome outcome = run_stage(plan.stages[0], io);
  outcome.driver = driver_name;
  return outcome;
}

}  // namespace cocoon::linux_driver
