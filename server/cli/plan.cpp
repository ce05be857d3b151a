// cocoon plan: what a run would do, step by step, without doing it.
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/invocation.hpp"
#include "host/engine.hpp"

namespace cocoon::cli {

int plan_command(std::span<const std::string> arguments) {
  InvocationReader reader("plan", Takes::any, "Print the plan as JSON, as a driver gets it.");
  bool facts = false;
  reader.add({"--facts", "", "Print what is known about this host instead, as JSON.",
              [&facts](std::string_view, std::string_view) -> Result<void> {
                facts = true;
                return {};
              }});
  Result<Invocation> invocation = reader.read(arguments);
  if (!invocation) return report(invocation.error(), asks_for_json(arguments), reader.error_exit());
  if (invocation->common.help) return reader.help();
  const bool json = invocation->common.json;
  Engine engine({plugin_options(invocation->common), {}});
  Result<Planned> planned = engine.plan(invocation->request);
  if (!planned && planned.error().code == "no_driver") {
    // A plan can be read where it cannot be run.
    print_error("cocoon: nothing here can isolate a program: this is the plan without this host's protections\n");
    invocation->request.driver = "dryrun";
    planned = engine.plan(invocation->request);
  }
  if (!planned) return report(planned.error(), json, kExitRefused);
  if (facts) {
    print(to_json(planned->facts, json ? -1 : 2) + "\n");
  } else if (json) {
    print(to_json(planned->plan) + "\n");
  } else {
    std::string text;
    std::string phase;
    for (const PlanStep& step : explain(planned->plan)) {
      if (step.phase != phase) text.append(text.empty() ? "" : "\n").append(step.phase).append("\n");
      phase = step.phase;
      text.append("  ").append(printable(step.text)).append("\n");
    }
    print(text);
  }
  return 0;
}

}  // namespace cocoon::cli
