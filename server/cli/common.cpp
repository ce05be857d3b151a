// The common flags.
#include "cli/common.hpp"

#include "cli/console.hpp"
#include "host/log.hpp"
#include "host/os/paths.hpp"
#include "plan/text.hpp"

namespace cocoon::cli {

void add_common_flags(std::vector<Flag>& flags, Common& common) {
  if (const std::optional<std::string> level = os::environment("COCOON_LOG"); level && !level->empty()) {
    if (Result<void> set = set_log_level(*level, "COCOON_LOG"); !set) report(set.error(), false, kExitUsage);
  }
  const std::string folders = os::environment("COCOON_PLUGIN_PATH").value_or(std::string());
  for (const std::string_view folder : split(folders, ':')) {
    if (!folder.empty()) common.plugin_folders.emplace_back(folder);
  }
  flags.push_back({"--plugin-dir", "DIR", "Load plugins from DIR too (absolute; repeatable; also COCOON_PLUGIN_PATH).",
                   [&common](std::string_view value, std::string_view where) -> Result<void> {
                     if (!os::is_absolute(value)) {
                       return fail("usage", "must be an absolute path", std::string(where));
                     }
                     common.plugin_folders.emplace_back(value);
                     return {};
                   }});
  flags.push_back({"--log-level", "LEVEL", "debug, info, warning, error or off (also COCOON_LOG).",
                   [](std::string_view value, std::string_view where) { return set_log_level(value, where); }});
  flags.push_back({"-h,--help", "", "Show this help.", [&common](std::string_view, std::string_view) -> Result<void> {
                     common.help = true;
                     return {};
                   }});
}

void add_json_flag(std::vector<Flag>& flags, Common& common, std::string help) {
  flags.push_back({"--json", "", std::move(help), [&common](std::string_view, std::string_view) -> Result<void> {
                     common.json = true;
                     return {};
                   }});
}

bool asks_for_json(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--json") return true;
  }
  return false;
}

int show_help(std::string_view command, std::span<const Flag> flags, std::string_view more) {
  for (const Command& entry : commands()) {
    if (entry.name != command) continue;
    print("usage: cocoon " + std::string(entry.name) + " " + std::string(entry.usage) + "\n\n" +
          std::string(entry.summary) + ".\n\n" + flags_help(flags) + std::string(more));
  }
  return 0;
}

PluginOptions plugin_options(const Common& common) {
  PluginOptions options;
  options.folders = common.plugin_folders;
  return options;
}

}  // namespace cocoon::cli
