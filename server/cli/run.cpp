// cocoon run: the guest's output and exit code become ours.
#include "cli/run.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/guest_io.hpp"
#include "cli/invocation.hpp"
#include "cli/step_report.hpp"
#include "host/engine.hpp"

namespace cocoon::cli {
int run_guest(const Invocation& invocation, bool measured) {
  GuestIo guest_io;
  const bool json = invocation.common.json;
  if (Result<void> opened = guest_io.open_stdin(invocation.stdin_from); !opened) {
    return report(opened.error(), json, kExitRefused);
  }
  Engine engine({plugin_options(invocation.common), {}});
  RunOptions options;
  options.io = guest_io.run_io(!json);
  if (!json) options.head_bytes = options.tail_bytes = 0;
  const Result<Planned> planned = engine.plan(invocation.request);
  if (!planned) return report(planned.error(), json, kExitRefused);
  const StepReport steps(planned->plan, guest_io);
  const Result<Outcome> outcome = engine.run(*planned, options);
  if (!outcome) return report(outcome.error(), json, kExitRefused);
  if (json) {
    print(to_json(*outcome) + "\n", guest_io.cancel_fd());
    if (outcome->status == Status::setup_failed) print_error("cocoon: " + summary(*outcome) + "\n");
    return exit_code(*outcome, false);
  }
  guest_io.flush();
  if (guest_io.output_error() != 0) {
    output_failed(guest_io.output_error());
    return kExitRefused;
  }
  const bool reader_gone = guest_io.reader_gone();
  std::string line = outcome->steps.empty() ? summary(*outcome) : StepReport::rest(*outcome);
  if (measured) line = measurements(*outcome) + (line.empty() ? "" : "; " + line);
  if (!line.empty() && !(reader_gone && outcome->status == Status::cancelled)) print_error("cocoon: " + line + "\n");
  return exit_code(*outcome, reader_gone);
}

int run_command(std::span<const std::string> arguments) {
  InvocationReader reader("run", Takes::one, "Print the Outcome as one line of JSON instead of passing output on.");
  const Result<Invocation> invocation = reader.read(arguments);
  if (!invocation) return report(invocation.error(), asks_for_json(arguments), reader.error_exit());
  if (invocation->common.help) return reader.help();
  return run_guest(*invocation, false);
}

}  // namespace cocoon::cli
