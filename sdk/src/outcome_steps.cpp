// The Outcome of a pipeline, made of those of its steps.
#include <cocoon/outcome.hpp>

#include <algorithm>

namespace cocoon {
namespace {

void add_new(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& each : more)
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
}

}  // namespace

bool succeeded(const Outcome& outcome) {
  return (outcome.status == Status::exited || outcome.status == Status::planned) && outcome.exit_code == 0;
}

Outcome join_steps(std::vector<Outcome> steps, std::uint64_t skipped) {
  const auto failed = std::find_if(steps.begin(), steps.end(), [](const Outcome& step) { return !succeeded(step); });
  const Outcome& telling = failed != steps.end() ? *failed : steps.back();
  Outcome all;
  all.status = telling.status;
  all.exit_code = telling.exit_code;
  all.signal = telling.signal;
  all.driver = telling.driver;
  all.isolation = telling.isolation;
  all.error = telling.error;
  for (const Outcome& step : steps) {
    all.duration_ms += step.duration_ms;
    all.cpu_ms += step.cpu_ms;
    // One runs after another: their peaks do not add up.
    if (step.peak_mem_kib >= all.peak_mem_kib) {
      all.peak_mem_kib = step.peak_mem_kib;
      all.memory_meter = step.memory_meter;
    }
    all.stdout_bytes += step.stdout_bytes;
    all.stderr_bytes += step.stderr_bytes;
    all.stdout_truncated = all.stdout_truncated || step.stdout_truncated;
    all.stderr_truncated = all.stderr_truncated || step.stderr_truncated;
    add_new(all.limits_hit, step.limits_hit);
    add_new(all.planted, step.planted);
  }
  all.steps = std::move(steps);
  all.steps_skipped = skipped;
  return all;
}

}  // namespace cocoon
