// cocoon exec: runs a bundle and returns what was measured.
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/run.hpp"

namespace cocoon::cli {

int exec_command(std::span<const std::string> arguments) {
  InvocationReader reader("exec", Takes::bundle, "Print the Outcome as one line of JSON instead of passing output on.");
  const Result<Invocation> invocation = reader.read(arguments);
  if (!invocation) return report(invocation.error(), asks_for_json(arguments), reader.error_exit());
  if (invocation->common.help) return reader.help();
  return run_guest(*invocation, true);
}

}  // namespace cocoon::cli
