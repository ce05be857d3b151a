// A pipeline's headers.
#include "cli/step_report.hpp"

#include "cli/console.hpp"
#include "host/os/paths.hpp"
#include "host/os/standard_fds.hpp"

namespace cocoon::cli {

StepReport::StepReport(const Plan& plan, GuestIo& io) : plan_(plan), io_(io), terminal_(os::is_terminal(os::kStderr)) {
  if (plan.stages.size() < 2) return;
  io.on_step([this](std::uint32_t index, std::string_view outcome_json) {
    if (outcome_json.empty()) return begin(index);
    if (const Result<Outcome> outcome = parse_outcome(outcome_json)) end(index, *outcome);
  });
}

void StepReport::begin(std::uint32_t index) {
  const bool plain = !terminal_ || os::environment("NO_COLOR") || os::environment("TERM") == "dumb";
  const std::string title = "==> step " + std::to_string(index + 1) + "/" + std::to_string(plan_.stages.size()) + " " +
                            printable(plan_.stages[index].name);
  io_.say(plain ? title + "\n" : "\x1b[1m" + title + "\x1b[0m\n");
}

// On a terminal each step's end is progress; in a file only what went wrong is worth a line.
void StepReport::end(std::uint32_t index, const Outcome& outcome) {
  std::string line = summary(outcome);
  if (line.empty() && outcome.exit_code != 0) line = "exit " + std::to_string(outcome.exit_code);
  if (line.empty() && terminal_) line = measurements(outcome);
  if (!line.empty()) io_.say("cocoon: step " + std::to_string(index + 1) + ": " + line + "\n");
}

std::string StepReport::rest(const Outcome& outcome) {
  if (outcome.steps_skipped == 0) return {};
  return std::to_string(outcome.steps_skipped) + (outcome.steps_skipped == 1 ? " step was" : " steps were") +
         " not run";
}

}  // namespace cocoon::cli
