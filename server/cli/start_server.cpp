// cocoon mcp, cocoon serve: done by a program of their own, cocoon-server, that this one becomes. So a run of the command
// line never loads, relocates or initialises a byte of the protocol, of HTTP or of TLS.
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "host/os/library.hpp"
#include "host/os/paths.hpp"
#include "host/os/replace.hpp"

#include <vector>

namespace cocoon::cli {
namespace {

int start_server(const char* command, std::span<const std::string> arguments) {
  const Result<std::string> file = os::own_file();
  if (!file) return report(file.error(), false, kExitRefused);
  const std::string prefix(os::parent(os::parent(*file)));
  const std::string server = os::join(prefix, COCOON_LIBEXECDIR "/cocoon-server");
  if (Result<void> trusted = os::check_trusted(server, prefix); !trusted)
    return report(trusted.error(), false, kExitRefused);
  std::vector<std::string> words = {command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return report(os::replace_program(server, "cocoon", words), false, kExitRefused);
}

}  // namespace

int mcp_command(std::span<const std::string> arguments) { return start_server("mcp", arguments); }
int serve_command(std::span<const std::string> arguments) { return start_server("serve", arguments); }

}  // namespace cocoon::cli
