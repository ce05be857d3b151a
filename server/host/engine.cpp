// The engine's straight line, and the capture between a driver and whoever watches.
#include "host/engine.hpp"

#include "host/capture.hpp"
#include "host/driver.hpp"
#include "host/os/signals.hpp"
#include "host/os/standard_fds.hpp"

namespace cocoon {
namespace {

constexpr int kLostOutputExit = 125;  // as for a run that could not be set up

// What a driver's output goes through: the watcher decides how much is taken, and the same bytes are captured.
struct Tap {
  const cocoon_run_io& watcher;
  bool capture;
  Capture out;
  Capture err;
  bool failed = false;  // there was no memory to keep some of it
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
    if (tap.capture) (stream == COCOON_STDERR ? tap.err : tap.out).append({data, taken});
    return taken;
  } catch (...) {  // the driver may be C
    tap.failed = true;
    return len;
  }
}

}  // namespace

Engine::Engine(EngineOptions options)
    : policy_(options.policy), plugins_(std::move(options.plugins)), drivers_(plugins_) {}

Result<Planned> Engine::plan(const Request& request) {
  if (Result<void> checked = check_request(request); !checked) return Unexpected<Error>{checked.error()};
  const Preset* preset = nullptr;
  if (!request.runtime.empty()) {
    const Result<const RuntimePlugin*> runtime = plugins_.runtime(request.runtime);
    if (!runtime) return Unexpected<Error>{runtime.error()};
    preset = &(*runtime)->preset;
  }
  Result<ChosenDriver> driver = drivers_.choose(request.driver);
  if (!driver) return Unexpected<Error>{driver.error()};
  Result<Facts> facts = gather_facts(request, preset, std::move(driver->facts));
  if (!facts) return Unexpected<Error>{facts.error()};
  Result<Plan> plan = make_plan(request, preset, *facts, policy_);
  if (!plan) return Unexpected<Error>{plan.error()};
  return Planned{std::move(*plan), std::move(*facts), driver->plugin, request.stdin_text.value_or(std::string())};
}

Result<Outcome> Engine::run(const Planned& planned, const RunOptions& options) {
  Tap tap{options.io, options.head_bytes + options.tail_bytes > 0, Capture(options.head_bytes, options.tail_bytes),
          Capture(options.head_bytes, options.tail_bytes)};
  cocoon_run_io io = options.io;
  io.struct_size = sizeof io;
  if (tap.capture || io.write != nullptr) {
    io.ctx = &tap;
    io.write = &take;
  }
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
  if (!outcome || !tap.capture) return outcome;
  outcome->stdout_text = tap.out.text();
  outcome->stderr_text = tap.err.text();
  outcome->stdout_truncated |= tap.out.truncated();
  outcome->stderr_truncated |= tap.err.truncated();
  return outcome;
}

Result<Outcome> Engine::run(const Request& request, const RunOptions& options) {
  const Result<Planned> planned = plan(request);
  if (!planned) return Unexpected<Error>{planned.error()};
  return run(*planned, options);
}

}  // namespace cocoon
