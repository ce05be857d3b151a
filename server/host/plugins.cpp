// Finding and loading plugins: which file is looked at, and every reason to refuse one.
#include "host/plugins.hpp"

#include "host/log.hpp"
#include "host/os/library.hpp"
#include "host/os/paths.hpp"
#include "host/similar.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace cocoon {
namespace {

constexpr std::string_view kSuffix = ".so";

std::string_view view(const char* text) { return text == nullptr ? std::string_view() : text; }

// Where a plugin came from, for people.
std::string origin(const std::string& path) { return path.empty() ? "(linked into the program)" : path; }

// The plugins that belong to the program lie beside it: PREFIX/bin/cocoon and PREFIX/lib/cocoon. Whoever can change
// what is above them can change the program itself, so nothing above is looked at.
struct BuiltIn {
  std::string folder;
  std::string trusted_above;
};

std::optional<BuiltIn> built_in_folder() {
  const Result<std::string> file = os::own_file();
  if (!file) return std::nullopt;
  const std::string folder(os::parent(*file));
  const std::string prefix(os::parent(folder));
  for (const auto& [candidate, above] :
       {std::pair(os::join(prefix, COCOON_LIBDIR "/cocoon"), prefix), std::pair(os::join(prefix, "lib/cocoon"), prefix),
        std::pair(os::join(folder, "cocoon"), folder)}) {
    if (os::is_folder(candidate)) return BuiltIn{candidate, above};
  }
  return std::nullopt;
}

}  // namespace

template <typename Plugin>
const Plugin* Plugins::named(const std::deque<Plugin>& plugins, std::string_view name) const {
  const auto found = std::find_if(plugins.begin(), plugins.end(), [&](const Plugin& p) { return p.name == name; });
  return found == plugins.end() ? nullptr : &*found;
}

// Of two plugins that claim one name, neither is what the caller can be sure to have meant.
template <typename Plugin>
std::vector<const Plugin*> Plugins::usable(const std::deque<Plugin>& plugins) const {
  std::vector<const Plugin*> list;
  for (const Plugin& plugin : plugins) {
    if (refusal_of(plugin.name) == nullptr) list.push_back(&plugin);
  }
  std::sort(list.begin(), list.end(), [](const Plugin* a, const Plugin* b) { return a->name < b->name; });
  return list;
}

Plugins::Plugins(PluginOptions options) : options_(std::move(options)) {}

void Plugins::find_folders() {
  if (folders_found_) return;
  folders_found_ = true;
  for (const cocoon_plugin_entry entry : options_.linked) {
    if (Result<void> accepted = accept(entry(), {}, {}, Kind::any); !accepted) {
      refused_.push_back({origin({}), accepted.error()});
    }
  }
  if (options_.built_in) {
    if (const std::optional<BuiltIn> built_in = built_in_folder()) {
      add_folder(os::join(built_in->folder, "runtimes"), built_in->trusted_above, Kind::runtime);
      add_folder(os::join(built_in->folder, "drivers"), built_in->trusted_above, Kind::driver);
    }
  }
  for (const std::string& folder : options_.folders) {
    if (!os::is_absolute(folder)) {
      refused_.push_back({folder, Error{"plugin_untrusted", "a plugin folder must be given by its absolute path",
                                        folder, "a relative one depends on where the program was started"}});
      continue;
    }
    if (!os::is_folder(folder)) {
      refused_.push_back({folder, Error{"plugin_missing", "there is no such plugin folder", folder, {}}});
      continue;
    }
    add_folder(folder, {}, Kind::any);
    for (const auto& [name, kind] : {std::pair("runtimes", Kind::runtime), std::pair("drivers", Kind::driver)}) {
      if (const std::string inner = os::join(folder, name); os::is_folder(inner)) add_folder(inner, {}, kind);
    }
  }
}

void Plugins::add_folder(const std::string& path, std::string_view trusted_above, Kind kind) {
  const std::optional<std::string> folder = os::real(path);
  if (!folder || !tried_.insert(*folder).second) return;
  if (Result<void> trusted = os::check_trusted(*folder, trusted_above); !trusted) {
    refused_.push_back({*folder, trusted.error()});
    return;
  }
  folders_.push_back({*folder, kind});
}

void Plugins::load_named(std::string_view name, Kind kind) {
  find_folders();
  if (!is_plugin_name(name)) return;
  const std::string file_name = std::string(name).append(kSuffix);
  for (const Folder& folder : folders_) {
    if (folder.kind != Kind::any && folder.kind != kind) continue;
    if (os::exists(os::join(folder.path, file_name))) try_file(folder, file_name);
  }
}

void Plugins::load_all(Kind kind) {
  find_folders();
  bool& done = kind == Kind::runtime ? all_runtimes_ : all_drivers_;
  if (done) return;
  done = true;
  for (const Folder& folder : folders_) {
    if (folder.kind != Kind::any && folder.kind != kind) continue;
    for (const std::string& name : os::list_folder(folder.path)) {
      if (name.ends_with(kSuffix)) try_file(folder, name);
    }
  }
}

void Plugins::try_file(const Folder& folder, const std::string& file_name) {
  const std::string path = os::join(folder.path, file_name);
  if (!tried_.insert(path).second) return;
  if (Result<void> loaded = load(folder, file_name); !loaded) {
    log(LogLevel::info, "plugin refused: " + path + ": " + loaded.error().message);
    refused_.push_back({path, loaded.error()});
  }
}

Result<void> Plugins::load(const Folder& folder, const std::string& file_name) {
  const std::string path = os::join(folder.path, file_name);
  const std::string_view name = std::string_view(file_name).substr(0, file_name.size() - kSuffix.size());
  if (!is_plugin_name(name)) {
    return fail("plugin_name", "a plugin's name has lower-case letters, digits and hyphens, and starts with a letter",
                path);
  }
  const std::optional<std::string> file = os::real(path);
  if (!file || !os::is_file(*file)) return fail("plugin_missing", "is not a file", path);
  // A link may lead out of the folder, which has been checked already.
  const std::string_view checked = os::parent(*file) == folder.path ? folder.path : std::string_view();
  if (Result<void> trusted = os::check_trusted(*file, checked); !trusted) return trusted;
  const Result<void*> entry = os::load_symbol(*file, COCOON_PLUGIN_ENTRY);
  if (!entry) return Unexpected<Error>{entry.error()};
  return accept(reinterpret_cast<cocoon_plugin_entry>(*entry)(), path, name, folder.kind);
}

Result<void> Plugins::accept(const cocoon_plugin* plugin, const std::string& path, std::string_view name, Kind kind) {
  const auto broken = [&path](std::string message) { return fail("plugin_broken", std::move(message), origin(path)); };
  if (plugin == nullptr) return broken("its entry function returned NULL");
  if (!COCOON_HAS(cocoon_plugin, plugin, driver)) {  // NOLINT(bugprone-sizeof-expression): the pointer's own size
    return broken("its cocoon_plugin is shorter than the first version of it");
  }
  if ((plugin->runtime == nullptr) == (plugin->driver == nullptr)) {
    return broken("a plugin offers either a runtime or a driver");
  }
  const bool is_runtime = plugin->runtime != nullptr;
  if (kind != Kind::any && is_runtime != (kind == Kind::runtime)) {
    return broken(is_runtime ? "is a runtime in a folder of drivers" : "is a driver in a folder of runtimes");
  }
  if (is_runtime ? !COCOON_HAS(cocoon_runtime, plugin->runtime, preset_json)
                 : !COCOON_HAS(cocoon_driver, plugin->driver, run)) {
    return broken("its table is shorter than the first version of it");
  }
  const std::string_view declared = view(is_runtime ? plugin->runtime->name : plugin->driver->name);
  if (!is_plugin_name(declared)) return broken("declares no proper name");
  if (!name.empty() && declared != name) {
    return fail("plugin_name",
                "the file is called \"" + std::string(name) + "\", but the plugin says that it is \"" +
                    std::string(declared) + "\"",
                path, "rename one of them");
  }
  const std::string* taken = nullptr;
  if (const RuntimePlugin* other = named(runtimes_, declared); is_runtime && other != nullptr) taken = &other->path;
  if (const DriverPlugin* other = named(drivers_, declared); !is_runtime && other != nullptr) taken = &other->path;
  if (taken != nullptr) {
    return fail(
        "plugin_duplicate",
        "the name \"" + std::string(declared) + "\" is taken twice: by " + origin(*taken) + " and by " + origin(path),
        origin(path), "remove or rename one of them");
  }
  return is_runtime ? accept_runtime(*plugin, path) : accept_driver(*plugin, path);
}

Result<void> Plugins::accept_runtime(const cocoon_plugin& plugin, const std::string& path) {
  Result<Preset> preset = parse_preset(view(plugin.runtime->preset_json));
  if (!preset) {
    return fail("plugin_broken", "its preset cannot be used: " + preset.error().message, origin(path),
                preset.error().where);
  }
  if (preset->name != plugin.runtime->name) {
    return fail("plugin_name",
                "its preset is called \"" + preset->name + "\", but the plugin \"" + plugin.runtime->name + "\"",
                origin(path));
  }
  runtimes_.push_back({plugin.runtime->name, std::string(view(plugin.version)), path, std::move(*preset)});
  return {};
}

Result<void> Plugins::accept_driver(const cocoon_plugin& plugin, const std::string& path) {
  if (plugin.driver->probe == nullptr || plugin.driver->run == nullptr) {
    return fail("plugin_broken", "a driver needs both probe and run", origin(path));
  }
  drivers_.push_back({plugin.driver->name, std::string(view(plugin.version)), path, plugin.driver});
  return {};
}

const Error* Plugins::refusal_of(std::string_view name) const {
  const std::string file_name = std::string(name).append(kSuffix);
  for (const RefusedPlugin& refused : refused_) {
    if (os::base_name(refused.path) == file_name) return &refused.error;
  }
  return nullptr;
}

Result<const RuntimePlugin*> Plugins::runtime(std::string_view given) {
  const std::lock_guard lock(mutex_);
  // Names are lower-case; people also write R and Python.
  std::string name(given);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  load_named(name, Kind::runtime);
  if (const Error* error = refusal_of(name)) return Unexpected<Error>{*error};
  if (const RuntimePlugin* found = named(runtimes_, name)) return found;
  load_all(Kind::runtime);
  const RuntimePlugin* match = nullptr;
  std::vector<std::string> names;
  for (const RuntimePlugin* runtime : usable(runtimes_)) {
    names.push_back(runtime->name);
    const std::vector<std::string>& aliases = runtime->preset.aliases;
    if (!contains(aliases, name)) continue;
    if (match != nullptr) {
      return fail("plugin_duplicate",
                  "the alias \"" + name + "\" is taken by \"" + match->name + "\" and by \"" + runtime->name + "\"",
                  "runtime", "use the name itself");
    }
    match = runtime;
  }
  if (match != nullptr) return match;
  return fail("unknown_runtime", "there is no runtime \"" + std::string(given) + "\"", "runtime",
              suggestion(name, names));
}

Result<const DriverPlugin*> Plugins::driver(std::string_view name) {
  const std::lock_guard lock(mutex_);
  load_named(name, Kind::driver);
  if (const Error* error = refusal_of(name)) return Unexpected<Error>{*error};
  if (const DriverPlugin* found = named(drivers_, name)) return found;
  load_all(Kind::driver);
  std::vector<std::string> names;
  for (const DriverPlugin* driver : usable(drivers_)) names.push_back(driver->name);
  return fail("unknown_driver", "there is no driver \"" + std::string(name) + "\"", "driver", suggestion(name, names));
}

std::vector<const RuntimePlugin*> Plugins::runtimes() {
  const std::lock_guard lock(mutex_);
  load_all(Kind::runtime);
  return usable(runtimes_);
}

std::vector<const DriverPlugin*> Plugins::drivers() {
  const std::lock_guard lock(mutex_);
  load_all(Kind::driver);
  return usable(drivers_);
}

std::vector<RefusedPlugin> Plugins::refused() {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace cocoon
