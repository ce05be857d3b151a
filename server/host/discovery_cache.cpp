// The discovery cache: one small file per answer, readable and writable by its owner alone.
#include "host/discovery_cache.hpp"

#include "host/log.hpp"
#include "host/os/paths.hpp"
#include "host/trust.hpp"

#include <array>
#include <cstdio>

namespace cocoon {
namespace {

constexpr std::size_t kMaxBytes = 64 * 1024;

std::optional<std::string> cache_folder() {
  if (std::optional<std::string> folder = os::environment("XDG_CACHE_HOME"); folder && os::is_absolute(*folder)) {
    return os::join(*folder, "cocoon");
  }
  if (std::optional<std::string> home = os::environment("HOME"); home && os::is_absolute(*home)) {
    // Where there is no ~/.cache its owner keeps no caches, and a run leaves nothing in anybody's home that was not asked for.
    std::string folder = os::join(*home, ".cache");
    if (os::is_folder(folder)) return os::join(folder, "cocoon");
  }
  return std::nullopt;
}

// FNV-1a: a name for the file. Two keys of one hash share a file, and only one is in it at a time.
std::string file_name(std::string_view runtime, std::string_view key) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return std::string(runtime) + "-" + text.data();
}

std::string identity_text(const std::string& path) {
  const std::optional<os::FileIdentity> id = os::identity(path);
  if (!id) return "missing";
  return std::to_string(id->device) + ":" + std::to_string(id->inode) + ":" + std::to_string(id->mtime_ns) + ":" +
         std::to_string(id->size);
}

}  // namespace

std::optional<Interpreter> cached_interpreter(std::string_view runtime, std::string_view key,
                                              std::span<const std::string> guest_folders) {
  const std::optional<std::string> folder = cache_folder();
  if (!folder || guest_made(*folder, guest_folders)) return std::nullopt;
  const std::string path = os::join(*folder, file_name(runtime, key));
  const Result<std::string> text = os::read_private_file(path, kMaxBytes);
  if (!text) {
    if (text.error().code == "untrusted") log(LogLevel::warning, path + " " + text.error().message + ": not used");
    return std::nullopt;
  }
  // Three lines: what was asked, which file the answer names, the answer.
  const std::string_view all = *text;
  const std::size_t first = all.find('\n');
  const std::size_t second = first == std::string_view::npos ? first : all.find('\n', first + 1);
  if (second == std::string_view::npos || all.substr(0, first) != key) return std::nullopt;
  Result<Interpreter> interpreter = parse_interpreter(all.substr(second + 1));
  if (!interpreter || all.substr(first + 1, second - first - 1) != identity_text(interpreter->executable)) {
    return std::nullopt;
  }
  return std::move(*interpreter);
}

void cache_interpreter(std::string_view runtime, std::string_view key, const Interpreter& interpreter,
                       std::span<const std::string> guest_folders) {
  const std::optional<std::string> folder = cache_folder();
  if (!folder || guest_made(*folder, guest_folders)) return;
  Result<void> done = os::make_folders(*folder, 0700);
  if (done) {
    done = os::replace_file(
        os::join(*folder, file_name(runtime, key)),
        std::string(key) + "\n" + identity_text(interpreter.executable) + "\n" + to_json(interpreter) + "\n");
  }
  if (!done) log(LogLevel::debug, "interpreter not remembered: " + done.error().message);
}

}  // namespace cocoon
