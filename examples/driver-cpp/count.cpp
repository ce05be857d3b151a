// The driver "count": runs nothing, and says how many steps each part of the plan has. The smallest driver there is.
#include <cocoon/plugin.hpp>

namespace {

std::int32_t probe(const cocoon::Host&, std::int32_t, std::string& facts_json) {
  facts_json = R"({"name": "count", "usable": true})";
  return 0;  // never chosen by itself: it isolates nothing
}

cocoon::Result<cocoon::Outcome> run(const cocoon::Host& host, const cocoon::Plan& plan, const cocoon_run_io& io) {
  if (plan.stages.empty()) return cocoon::fail("bad_value", "the plan has no stage", "stages");
  std::string text;
  for (const cocoon::Stage& stage : plan.stages) {
    text += stage.name + ": " + std::to_string(stage.mounts.size()) + " mounts, " +
            std::to_string(stage.namespaces.size()) + " namespaces\n";
  }
  host.log(COCOON_LOG_INFO, "counted");
  if (io.write != nullptr) io.write(io.ctx, COCOON_STDOUT, text.data(), text.size());
  cocoon::Outcome outcome;
  outcome.status = cocoon::Status::planned;
  outcome.exit_code = 0;
  outcome.stdout_bytes = text.size();
  outcome.driver = "count";
  return outcome;
}

}  // namespace

COCOON_DRIVER("count", probe, run)
