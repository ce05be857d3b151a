// cocoon plugins: what is loaded, from where, and what was refused and why.
#include "host/plugins.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"

#include <cocoon/outcome.hpp>

#include <nlohmann/json.hpp>

namespace cocoon::cli {
namespace {

struct Loaded {
  std::string_view kind;
  const std::string& name;
  const std::string& version;
  const std::string& path;
};

std::string json_text(std::span<const Loaded> loaded, std::span<const RefusedPlugin> refused) {
  using Json = nlohmann::ordered_json;
  Json json = {{"plugins", Json::array()}, {"refused", Json::array()}};
  for (const Loaded& plugin : loaded) {
    json["plugins"].push_back(
        {{"kind", plugin.kind}, {"name", plugin.name}, {"version", plugin.version}, {"path", plugin.path}});
  }
  for (const RefusedPlugin& plugin : refused) {
    json["refused"].push_back({{"path", plugin.path}, {"error", Json::parse(error_json(plugin.error))}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string plain_text(std::span<const Loaded> loaded, std::span<const RefusedPlugin> refused) {
  std::string text;
  for (const Loaded& plugin : loaded) {
    std::string line(plugin.kind);
    line.resize(9, ' ');
    line.append(plugin.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 24), ' ');
    line.append(printable(plugin.version));
    line.resize(std::max<std::size_t>(line.size() + 1, 34), ' ');
    text.append(line).append(printable(plugin.path)).append("\n");
  }
  for (const RefusedPlugin& plugin : refused) {
    text.append("refused  ").append(printable(plugin.path)).append(": ").append(printable(plugin.error.message));
    if (!plugin.error.hint.empty()) text.append(" (").append(printable(plugin.error.hint)).append(")");
    text.append("\n");
  }
  return text;
}

}  // namespace

int plugins_command(std::span<const std::string> arguments) {
  std::vector<Flag> flags;
  Common common;
  add_json_flag(flags, common, "Print the list as one line of JSON.");
  add_common_flags(flags, common);
  if (const Result<void> read = read_flags_only(flags, arguments, "plugins"); !read) {
    return report(read.error(), asks_for_json(arguments), kExitUsage);
  }
  if (common.help) return show_help("plugins", flags);
  Plugins plugins(plugin_options(common));
  std::vector<Loaded> loaded;
  for (const DriverPlugin* driver : plugins.drivers()) {
    loaded.push_back({"driver", driver->name, driver->version, driver->path});
  }
  for (const RuntimePlugin* runtime : plugins.runtimes()) {
    loaded.push_back({"runtime", runtime->name, runtime->version, runtime->path});
  }
  const std::vector<RefusedPlugin> refused = plugins.refused();
  print(common.json ? json_text(loaded, refused) : plain_text(loaded, refused));
  return refused.empty() ? 0 : 1;
}

}  // namespace cocoon::cli
