// The engine's straight line, and the capture between a driver and whoever watches.
#include "host/engine.hpp"

#include "host/capture.hpp"
#include "host/driver.hpp"
#include "host/os/signals.hpp"
#include "host/os/standard_fds.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <vector>

namespace cocoon {
namespace {

constexpr int kLostOutputExit = 125;  // as for a run that could not be set up

// What of one step's output is kept.
struct Kept {
  Kept(std::size_t head_bytes, std::size_t tail_bytes) : out(head_bytes, tail_bytes), err(head_bytes, tail_bytes) {}

  void give(Outcome& outcome) const {
    outcome.stdout_text = out.text();
    outcome.stderr_text = err.text();
    outcome.stdout_truncated |= out.truncated();
    outcome.stderr_truncated |= err.truncated();
  }

  Capture out;
  Capture err;
};

// What a driver's output goes through: the watcher decides how much is taken, and the same bytes are captured.
struct Tap {
  const cocoon_run_io& watcher;
  const RunOptions& options;
  std::size_t share;       // of what may be kept, for each step
  std::vector<Kept> kept;  // the last one is filled; empty: nothing is captured
  bool failed = false;     // there was no memory to keep some of it

  bool capture() const { return options.head_bytes + options.tail_bytes > 0; }
  void begin() {
    if (capture()) kept.emplace_back(options.head_bytes / share, options.tail_bytes / share);
  }
};

struct TextInput {
  explicit TextInput(const std::string& text) : fd(text.empty() ? Result<int>(-1) : os::readable_text(text)) {}
  ~TextInput() {
    if (fd) os::close_fd(*fd);
  }
  TextInput(const TextInput&) = delete;
  TextInput& operator=(const TextInput&) = delete;

  const Result<int> fd;
};

size_t take(void* ctx, int32_t stream, const char* data, size_t len) noexcept {
  Tap& tap = *static_cast<Tap*>(ctx);
  // Taken and dropped: a driver that is left with what nobody takes would wait for as long as the guest may run.
  if (tap.failed) return len;
  try {
    const size_t taken = tap.watcher.write == nullptr ? len : tap.watcher.write(tap.watcher.ctx, stream, data, len);
    if (!tap.kept.empty()) (stream == COCOON_STDERR ? tap.kept.back().err : tap.kept.back().out).append({data, taken});
    return taken;
  } catch (...) {  // the driver may be C
    tap.failed = true;
    return len;
  }
}

void begin_or_end_step(void* ctx, uint32_t index, cocoon_str outcome_json) noexcept {
  Tap& tap = *static_cast<Tap*>(ctx);
  try {
    if (index > 0 && outcome_json.len == 0) tap.begin();
    if (tap.watcher.step != nullptr) tap.watcher.step(tap.watcher.ctx, index, outcome_json);
  } catch (...) {
    tap.failed = true;
  }
}

// Up to this many steps may each keep as much as a single run.
constexpr std::size_t kStepsInFull = 8;

}  // namespace

Engine::Engine(EngineOptions options)
    : policy_(options.policy),
      rules_(std::move(options.rules)),
      plugins_(std::move(options.plugins)),
      drivers_(plugins_, rules_) {}

Result<Planned> Engine::plan(const Request& request, const Allow& allow) {
  if (Result<void> checked = check_request(request); !checked) return Unexpected<Error>{checked.error()};
  std::vector<const Preset*> presets;
  for (const Request& step : step_requests(request)) {
    presets.push_back(nullptr);
    if (step.runtime.empty()) continue;
    const Result<const RuntimePlugin*> runtime = plugins_.runtime(step.runtime);
    if (!runtime) return in_step(!request.steps.empty(), presets.size(), runtime.error());
    presets.back() = &(*runtime)->preset;
  }
  Result<ChosenDriver> driver = drivers_.choose(request.driver);
  if (!driver) return Unexpected<Error>{driver.error()};
  Result<Facts> facts = gather_facts(request, presets, std::move(driver->facts), rules_.guest_folders);
  if (!facts) return Unexpected<Error>{facts.error()};
  if (allow)
    if (Result<void> allowed = allow(*facts); !allowed) return Unexpected<Error>{allowed.error()};
  Result<Plan> plan = make_plan(request, presets, *facts, policy_);
  if (!plan) return Unexpected<Error>{plan.error()};
  return Planned{std::move(*plan), std::move(*facts), driver->plugin, request.stdin_text.value_or(std::string())};
}

Result<Outcome> Engine::run(const Planned& planned, const RunOptions& options) {
  Tap tap{options.io, options, (planned.plan.stages.size() + kStepsInFull - 1) / kStepsInFull, {}};
  tap.begin();
  cocoon_run_io io = options.io;
  io.struct_size = sizeof io;
  io.ctx = &tap;
  if (tap.capture() || io.write != nullptr) io.write = &take;
  io.step = &begin_or_end_step;
  const TextInput input(planned.stdin_text);
  if (!planned.stdin_text.empty()) {
    if (!input.fd) return Unexpected<Error>{input.fd.error()};
    io.stdin_fd = *input.fd;
  }
  const os::NoBrokenPipe no_broken_pipe;
  Result<Outcome> outcome = run_driver(*planned.driver->driver, to_json(planned.plan), io);
  if (outcome && tap.failed) {
    // What was captured is not all; no caller may take the run for a success.
    outcome->error = Error{"internal", "the guest's output could not be kept", "output", "is there enough memory?"};
    outcome->stdout_truncated = outcome->stderr_truncated = true;
    if (outcome->exit_code == 0) outcome->exit_code = kLostOutputExit;
    return outcome;
  }
  if (!outcome || tap.kept.empty()) return outcome;
  if (outcome->steps.empty()) tap.kept.front().give(*outcome);
  for (std::size_t i = 0; i < std::min(tap.kept.size(), outcome->steps.size()); ++i) {
    tap.kept[i].give(outcome->steps[i]);
    outcome->stdout_truncated |= outcome->steps[i].stdout_truncated;
    outcome->stderr_truncated |= outcome->steps[i].stderr_truncated;
  }
  return outcome;
}

Result<Outcome> Engine::run(const Request& request, const RunOptions& options) {
  const Result<Planned> planned = plan(request);
  if (!planned) return Unexpected<Error>{planned.error()};
  return run(*planned, options);
}

}  // namespace cocoon
