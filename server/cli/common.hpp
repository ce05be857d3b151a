// Flags that every subcommand has, and the table of subcommands.
#pragma once

#include "cli/flags.hpp"
#include "host/plugins.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::cli {

struct Command {
  std::string_view name;     // "run", "plugin new"
  std::string_view usage;    // what follows the name
  std::string_view summary;  // one line
  int (*run)(std::span<const std::string> arguments);
};

std::span<const Command> commands();

struct Common {
  bool help = false;
  bool json = false;
  std::vector<std::string> plugin_folders;  // of COCOON_PLUGIN_PATH and --plugin-dir
};

// --help, --plugin-dir, --log-level; COCOON_PLUGIN_PATH and COCOON_LOG are read as well. common must outlive the flags.
void add_common_flags(std::vector<Flag>& flags, Common& common);
void add_json_flag(std::vector<Flag>& flags, Common& common, std::string help);

// Whether arguments ask for JSON, for errors in the arguments themselves.
bool asks_for_json(std::span<const std::string> arguments);

// Prints the help of a subcommand. Returns 0.
int show_help(std::string_view command, std::span<const Flag> flags, std::string_view more = {});

PluginOptions plugin_options(const Common& common);

}  // namespace cocoon::cli
