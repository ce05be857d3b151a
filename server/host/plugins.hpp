// Finds and loads plugins. Nothing is touched before it is asked for; whatever is refused is remembered with its reason.
#pragma once

#include "plan/preset.hpp"

#include <cocoon/abi.h>
#include <cocoon/result.hpp>

#include <deque>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

struct PluginOptions {
  // Folders beside the built-in one, absolute: NAME.so in them or in their runtimes/ and drivers/.
  std::vector<std::string> folders;
  // Plugins that are linked into the program.
  std::span<const cocoon_plugin_entry> linked;
  bool built_in = true;  // look into the folder that belongs to the program
};

struct RuntimePlugin {
  std::string name;
  std::string version;
  std::string path;  // empty: linked into the program
  Preset preset;
};

struct DriverPlugin {
  std::string name;
  std::string version;
  std::string path;
  const cocoon_driver* driver = nullptr;
};

struct RefusedPlugin {
  std::string path;
  Error error;
};

// Thread-safe. What it returns a pointer to lives as long as the Plugins.
class Plugins {
 public:
  explicit Plugins(PluginOptions options);

  // By name, then by alias, in whatever case. Looks only for files of that name, as long as one is there.
  Result<const RuntimePlugin*> runtime(std::string_view name);
  Result<const DriverPlugin*> driver(std::string_view name);

  // Everything that loads, sorted by name.
  std::vector<const RuntimePlugin*> runtimes();
  std::vector<const DriverPlugin*> drivers();

  // So far. runtimes() and drivers() before it make it complete.
  std::vector<RefusedPlugin> refused();

 private:
  enum class Kind : std::uint8_t { any, runtime, driver };
  struct Folder {
    std::string path;  // real
    Kind kind;         // of what may lie in it
  };

  void find_folders();
  void add_folder(const std::string& path, std::string_view trusted_above, Kind kind);
  void load_named(std::string_view name, Kind kind);
  void load_all(Kind kind);
  void try_file(const Folder& folder, const std::string& file_name);
  Result<void> load(const Folder& folder, const std::string& file_name);
  Result<void> accept(const cocoon_plugin* plugin, const std::string& path, std::string_view name, Kind kind);
  Result<void> accept_runtime(const cocoon_plugin& plugin, const std::string& path);
  Result<void> accept_driver(const cocoon_plugin& plugin, const std::string& path);
  const Error* refusal_of(std::string_view name) const;
  template <typename Plugin>
  const Plugin* named(const std::deque<Plugin>& plugins, std::string_view name) const;
  template <typename Plugin>
  std::vector<const Plugin*> usable(const std::deque<Plugin>& plugins) const;

  std::mutex mutex_;
  const PluginOptions options_;
  bool folders_found_ = false;
  bool all_runtimes_ = false;
  bool all_drivers_ = false;
  std::vector<Folder> folders_;
  std::set<std::string> tried_;  // real paths of folders, and files in them
  std::deque<RuntimePlugin> runtimes_;
  std::deque<DriverPlugin> drivers_;
  std::vector<RefusedPlugin> refused_;
};

}  // namespace cocoon
