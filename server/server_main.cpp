// The program `cocoon-server`, which `cocoon mcp` and `cocoon serve` become.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"
#include "host/os/standard_fds.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace cocoon::cli {
namespace {

constexpr std::array table = {
    Command{"mcp", "[OPTIONS]", "Serve one agent by the Model Context Protocol on standard input and output",
            mcp_command},
    Command{"serve", "[OPTIONS]", "Serve agents by the Model Context Protocol over HTTP", serve_command},
};

}  // namespace

std::span<const Command> commands() { return table; }

}  // namespace cocoon::cli

int main(int argc, char** argv) {
  using namespace cocoon::cli;
  try {
    cocoon::os::open_missing_standard_fds();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    for (const Command& command : commands())
      if (!words.empty() && words[0] == command.name) return final_exit(command.run(std::span(words).subspan(1)));
    std::fputs("cocoon-server: is started by \"cocoon mcp\" and \"cocoon serve\"\n", stderr);
    return kExitUsage;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cocoon: internal error: %s\n", e.what());
  }
  return kExitRefused;
}
