// The program `cocoon`: its table of subcommands.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"
#include "host/os/standard_fds.hpp"
#include "host/similar.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace cocoon::cli {
namespace {

constexpr std::array table = {
    Command{"run", "[OPTIONS] (--runtime NAME (-c CODE | FILE [ARGS]) | -- COMMAND [ARGS] | BUNDLE)",
            "Run code, a script, a command or a bundle in a sandbox and pass its output and exit code on", run_command},
    Command{"exec", "BUNDLE [OPTIONS]", "Run a bundle in a sandbox and say what was measured", exec_command},
    Command{"pipeline", "[OPTIONS] (-s RUNTIME:CODE | -s RUNTIME:@FILE)... | [OPTIONS] FILE.json | [OPTIONS] FILE.toml",
            "Run several steps, each in a sandbox of its own, in one shared work folder", pipeline_command},
    Command{"plan",
            "[OPTIONS] (--runtime NAME (-c CODE | FILE [ARGS]) | -- COMMAND [ARGS] | BUNDLE | -s STEP... | FILE)",
            "Show what a run would do, step by step, without doing it", plan_command},
    Command{"spec", "DIR", "Make a bundle: cocoon.conf and a rootfs/ to fill", spec_command},
    Command{"info", "[--json]", "Say what works on this host, and what to do about the rest", info_command},
    Command{"mcp", "[OPTIONS]", "Serve one agent by the Model Context Protocol on standard input and output",
            mcp_command},
    Command{"serve", "[OPTIONS]", "Serve agents by the Model Context Protocol over HTTP", serve_command},
    Command{"plugins", "[--json]", "List the plugins: loaded from where, refused and why", plugins_command},
    Command{"plugin new", "runtime NAME [--dir DIR]", "Write the project of a new runtime plugin", plugin_new_command},
};

int show_overview() {
  std::string text = "usage: cocoon COMMAND ...\n\nRuns untrusted programs in a sandbox and returns what happened.\n\n";
  for (const Command& command : table) {
    std::string name = "  " + std::string(command.name);
    name.resize(14, ' ');
    text.append(name).append(command.summary).append("\n");
  }
  print(text + "\n\"cocoon COMMAND --help\" explains one. cocoon --version says which this is.\n");
  return 0;
}

int unknown_command(const std::string& name) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const Command& command : table) names.emplace_back(command.name);
  const std::string close = similar_name(name, names);
  return report({"usage", "there is no such command", name,
                 close.empty() ? "\"cocoon --help\" lists them" : "did you mean \"" + close + "\"?"},
                false, kExitUsage);
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") return show_overview();
  if (words[0] == "--version" || words[0] == "-V") return print("cocoon " COCOON_VERSION "\n"), 0;
  for (const Command& command : table) {
    const std::size_t space = command.name.find(' ');
    const bool two_words = space != std::string_view::npos;
    if (words[0] != command.name.substr(0, space)) continue;
    if (two_words && (words.size() < 2 || words[1] != command.name.substr(space + 1))) continue;
    return command.run(std::span(words).subspan(two_words ? 2 : 1));
  }
  return unknown_command(words[0]);
}

}  // namespace

std::span<const Command> commands() { return table; }

}  // namespace cocoon::cli

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // The heap grows in one piece and is not given back bit by bit: each step of it is a system call that a run waits for.
  ::mallopt(M_TOP_PAD, 512 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
  // An exception that leaves main ends the program without a word and with a signal's exit code.
  try {
    cocoon::os::open_missing_standard_fds();
    return cocoon::cli::final_exit(cocoon::cli::dispatch({argv + (argc > 0 ? 1 : 0), argv + argc}));
  } catch (const std::bad_alloc&) {
    std::fputs("cocoon: out of memory\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cocoon: internal error: %s\n", e.what());
  } catch (...) {
    std::fputs("cocoon: internal error\n", stderr);
  }
  return cocoon::cli::kExitRefused;
}
