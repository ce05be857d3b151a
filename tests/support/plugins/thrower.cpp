// A driver whose functions throw: nothing of it may reach the program.
#include <cocoon/plugin.hpp>

#include <stdexcept>

namespace {

std::int32_t probe(const cocoon::Host&, std::int32_t, std::string& facts_json) {
  facts_json = R"({"name": "thrower", "usable": true})";
  return 0;
}

cocoon::Result<cocoon::Outcome> run(const cocoon::Host&, const cocoon::Plan& plan, const cocoon_run_io&) {
  if (plan.stages.at(0).name == "true") throw std::runtime_error("thrown on purpose");
  if (plan.stages.at(0).name == "false") throw 42;
  return cocoon::fail("refused_on_purpose", "this driver refuses", "stage", "nothing helps");
}

}  // namespace

COCOON_DRIVER("thrower", probe, run)
