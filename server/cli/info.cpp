// cocoon info: what works on this host, what does not, and what to do about it.
#include "host/info.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"

namespace cocoon::cli {
namespace {

std::string row(std::string_view name, std::string_view text) {
  std::string line = "  " + printable(name);
  line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
  return line.append(printable(text)).append("\n");
}

std::string drivers_text(const Info& info) {
  std::string text;
  for (const DriverInfo& driver : info.drivers) {
    std::string state = driver.error                 ? "broken: " + driver.error->message
                        : !driver.facts.usable       ? "cannot work here: " + driver.facts.reason
                        : driver.name == info.driver ? "used"
                                                     : "on demand (--driver " + driver.name + ")";
    if (!driver.facts.hint.empty()) state.append(" (").append(driver.facts.hint).append(")");
    text.append(row(driver.name, state));
  }
  return text.empty() ? row("none", "no driver plugin was found") : text;
}

std::string layers_text(const Info& info) {
  std::string text;
  for (const DriverFacts::Layer& layer : info.drivers[0].facts.layers) {
    text.append(row(layer.name, (layer.available ? "yes" : "no ") + (layer.detail.empty() ? "" : "  " + layer.detail)));
  }
  return text;
}

std::string runtimes_text(const Info& info) {
  std::string text;
  for (const RuntimeInfo& runtime : info.runtimes) {
    std::string state;
    if (runtime.interpreter) {
      const std::string& version = runtime.interpreter->version;
      state = version.empty() ? runtime.interpreter->executable : version + "  " + runtime.interpreter->executable;
    } else if (runtime.error->code == "runtime_missing") {
      state = "not installed" + (runtime.install.empty() ? "" : ": " + runtime.install);
    } else {
      state = runtime.error->where + ": " + runtime.error->message;
    }
    text.append(row(runtime.name, state));
  }
  return text.empty() ? row("none", "no runtime plugin was found") : text;
}

}  // namespace

int info_command(std::span<const std::string> arguments) {
  std::vector<Flag> flags;
  Common common;
  add_json_flag(flags, common, "Print everything as one line of JSON.");
  add_common_flags(flags, common);
  if (const Result<void> read = read_flags_only(flags, arguments, "info"); !read) {
    return report(read.error(), asks_for_json(arguments), kExitUsage);
  }
  if (common.help) return show_help("info", flags);
  Plugins plugins(plugin_options(common));
  const Info info = gather_info(plugins, COCOON_PROBE_THOROUGH);
  const int exit_code = info.driver.empty() ? 1 : 0;  // for scripts: nothing can be run here
  if (common.json) {
    print(to_json(info) + "\n");
    return exit_code;
  }
  std::string text = "cocoon " + info.version + "\n\ndrivers\n" + drivers_text(info);
  if (!info.driver.empty() && !info.drivers[0].facts.layers.empty()) {
    text.append("\nisolation by ").append(info.driver).append("\n").append(layers_text(info));
  }
  text.append("\nruntimes\n").append(runtimes_text(info));
  if (!info.refused.empty()) {
    text.append("\nrefused plugins\n");
    for (const RefusedPlugin& plugin : info.refused) text.append(row(plugin.path, plugin.error.message));
  }
  print(text);
  return exit_code;
}

}  // namespace cocoon::cli
