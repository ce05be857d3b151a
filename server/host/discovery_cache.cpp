// The discovery cache: one small JSON file per answer, readable and writable by its owner alone.
#include "host/discovery_cache.hpp"

#include "host/log.hpp"
#include "host/os/paths.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>

namespace cocoon {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = 64 * 1024;

std::optional<std::string> cache_folder() {
  if (std::optional<std::string> folder = os::environment("XDG_CACHE_HOME"); folder && os::is_absolute(*folder)) {
    return os::join(*folder, "cocoon");
  }
  if (std::optional<std::string> home = os::environment("HOME"); home && os::is_absolute(*home)) {
    return os::join(*home, ".cache/cocoon");
  }
  return std::nullopt;
}

// FNV-1a: a name for the file. Two keys of one hash share a file, and only one is in it at a time.
std::string file_name(std::string_view runtime, std::string_view key) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return std::string(runtime) + "-" + text.data() + ".json";
}

// The key may hold any bytes, JSON may not.
std::string key_text(std::string_view key) {
  return Json(std::string(key)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string identity_text(const std::string& path) {
  const std::optional<os::FileIdentity> id = os::identity(path);
  if (!id) return "missing";
  return std::to_string(id->device) + ":" + std::to_string(id->inode) + ":" + std::to_string(id->mtime_ns) + ":" +
         std::to_string(id->size);
}

}  // namespace

std::optional<Interpreter> cached_interpreter(std::string_view runtime, std::string_view key) {
  const std::optional<std::string> folder = cache_folder();
  if (!folder) return std::nullopt;
  const std::string path = os::join(*folder, file_name(runtime, key));
  const Result<std::string> text = os::read_private_file(path, kMaxBytes);
  if (!text) {
    if (text.error().code == "untrusted") log(LogLevel::warning, path + " " + text.error().message + ": not used");
    return std::nullopt;
  }
  try {
    const Json entry = Json::parse(*text);
    if (entry.at("key").get<std::string>() != key_text(key)) return std::nullopt;
    Interpreter interpreter;
    interpreter.executable = entry.at("executable").get<std::string>();
    interpreter.version = entry.at("version").get<std::string>();
    interpreter.directories = entry.at("directories").get<std::vector<std::string>>();
    if (entry.at("identity").get<std::string>() != identity_text(interpreter.executable)) return std::nullopt;
    return interpreter;
  } catch (const Json::exception&) {  // an older layout, or damaged: it is written anew
    return std::nullopt;
  }
}

void cache_interpreter(std::string_view runtime, std::string_view key, const Interpreter& interpreter) {
  const std::optional<std::string> folder = cache_folder();
  if (!folder) return;
  Json entry = Json::object();
  entry["key"] = key_text(key);
  entry["executable"] = interpreter.executable;
  entry["identity"] = identity_text(interpreter.executable);
  entry["version"] = interpreter.version;
  entry["directories"] = interpreter.directories;
  Result<void> done = os::make_folders(*folder, 0700);
  if (done) {
    done = os::replace_file(os::join(*folder, file_name(runtime, key)),
                            entry.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (!done) log(LogLevel::debug, "interpreter not remembered: " + done.error().message);
}

}  // namespace cocoon
