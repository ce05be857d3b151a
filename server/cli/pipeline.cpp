// cocoon pipeline: several steps in one shared work folder.
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/run.hpp"

namespace cocoon::cli {

int pipeline_command(std::span<const std::string> arguments) {
  InvocationReader reader(
      "pipeline", Takes::pipeline,
      "Print the Outcome, with one for each step, as one line of JSON instead of passing output on.");
  const Result<Invocation> invocation = reader.read(arguments);
  if (!invocation) return report(invocation.error(), asks_for_json(arguments), reader.error_exit());
  if (invocation->common.help) return reader.help();
  return run_guest(*invocation, false);
}

}  // namespace cocoon::cli
