// cocoon mcp: a server for one agent, on standard input and output.
#include "agent/agent.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/server/policy_flags.hpp"
#include "transport/stdio.hpp"

namespace cocoon::cli {

int mcp_command(std::span<const std::string> arguments) {
  ServerOptions options;
  std::vector<Flag> flags;
  add_policy_flags(flags, options);
  add_common_flags(flags, options.common);
  if (const Result<void> read = read_flags_only(flags, arguments, "mcp"); !read)
    return report(read.error(), false, kExitUsage);
  if (options.common.help)
    return show_help(
        "mcp", flags,
        "\nSpeaks the Model Context Protocol, all revisions from 2024-11-05 to 2026-07-28. Ends every run and "
        "itself when its input ends.\nFor Claude Code: claude mcp add cocoon -- cocoon mcp\n");
  const Result<std::unique_ptr<agent::Agent>> made = make_agent(options);
  if (!made) return report(made.error(), false, made.error().code == "usage" ? kExitUsage : kExitRefused);
  transport::StdioOptions stdio;
  stdio.limits.long_works = (*made)->policy().concurrent_runs;
  stdio.limits.waiting_works = (*made)->policy().queued_runs;
  transport::serve_stdio(**made, stdio);
}

}  // namespace cocoon::cli
