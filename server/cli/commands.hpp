// The functions behind the subcommands: each gets what follows its name and returns the exit code.
#pragma once

#include <span>
#include <string>

namespace cocoon::cli {

int run_command(std::span<const std::string> arguments);
int exec_command(std::span<const std::string> arguments);
int pipeline_command(std::span<const std::string> arguments);
int plan_command(std::span<const std::string> arguments);
int spec_command(std::span<const std::string> arguments);
int info_command(std::span<const std::string> arguments);
int mcp_command(std::span<const std::string> arguments);
int serve_command(std::span<const std::string> arguments);
int plugins_command(std::span<const std::string> arguments);
int plugin_new_command(std::span<const std::string> arguments);

}  // namespace cocoon::cli
