// Driver that shows the plan instead of running it: what it prints is what another driver would carry out.
#include <cocoon/plugin.hpp>

namespace {

using cocoon::Host;
using cocoon::Outcome;
using cocoon::Plan;
using cocoon::Result;
using cocoon::Status;

// Usable everywhere, and never chosen by itself: nobody wants to learn afterwards that nothing was run.
std::int32_t probe(const Host&, std::int32_t, std::string& facts_json) {
  facts_json = R"({"name": "dryrun", "usable": true})";
  return 0;
}

Result<Outcome> run(const Host&, const Plan& plan, const cocoon_run_io& io) {
  const std::string text = to_json(plan) + "\n";
  std::size_t shown = 0;
  if (io.write != nullptr) {
    while (shown < text.size()) {
      const std::size_t taken = io.write(io.ctx, COCOON_STDOUT, text.data() + shown, text.size() - shown);
      if (taken == 0) break;
      shown += taken;
    }
  }
  Outcome outcome;
  outcome.status = Status::planned;
  outcome.exit_code = 0;
  outcome.stdout_bytes = text.size();
  outcome.stdout_truncated = shown < text.size();
  outcome.driver = "dryrun";
  return outcome;
}

}  // namespace

COCOON_DRIVER("dryrun", probe, run)
