// Profiles and defaults: what holds where a request says nothing.
#include "plan/profile.hpp"

#include <algorithm>
#include <string>

namespace cocoon {
namespace {

constexpr std::uint64_t kib_per_mib = 1024;
constexpr std::uint64_t bytes_per_mib = 1024 * 1024;

// Below this nothing starts, and the number was most likely meant in another unit.
constexpr std::uint64_t least_memory_kib = 1024;

Settings without_profile() {
  Settings settings;
  settings.timeout_ms = defaults::timeout_s * 1000;
  settings.memory_kib = defaults::memory_mib * kib_per_mib;
  settings.pids = defaults::pids;
  settings.output_bytes = defaults::output_mib * bytes_per_mib;
  settings.open_files = defaults::open_files;
  settings.inodes = 100'000;
  return settings;
}

Result<void> apply_profile(std::string_view name, Settings& settings) {
  if (name.empty()) return {};
  if (name == "strict") {
    settings.timeout_ms = 5'000;
    settings.memory_kib = 128 * kib_per_mib;
    return {};
  }
  if (name == "build") {
    settings.readonly = false;
    settings.timeout_ms = 300'000;
    settings.pids = 1024;
    return {};
  }
  return fail("bad_value", "'" + std::string(name) + "' is not a profile", "profile", "one of: strict, build");
}

// Takes an explicit value, or else lowers the default to the ceiling.
Result<void> choose(std::uint64_t& value, const std::optional<std::uint64_t>& asked, std::uint64_t ceiling,
                    std::string_view name, std::string_view unit) {
  if (!asked) {
    if (ceiling != 0) value = std::min(value, ceiling);
    return {};
  }
  // 0 is no limit at all, and so more than any ceiling.
  if (ceiling != 0 && (*asked == 0 || *asked > ceiling))
    return fail("policy", "is more than the operator of this host allows", std::string(name),
                "at most " + std::to_string(ceiling) + " " + std::string(unit));
  value = *asked;
  return {};
}

}  // namespace

bool is_rootfs_readonly(const Request& request) {
  Settings settings = without_profile();
  // What is no profile changes nothing, and settle() refuses it.
  static_cast<void>(apply_profile(request.profile, settings));
  return request.readonly.value_or(settings.readonly);
}

Result<Settings> settle(const Request& request, const Policy& policy) {
  Settings settings = without_profile();
  if (auto applied = apply_profile(request.profile, settings); !applied)
    return Unexpected<Error>{std::move(applied.error())};
  settings.show_current_folder = policy.current_folder;
  settings.net = request.net.value_or(settings.net);
  settings.readonly = is_rootfs_readonly(request);
  if (settings.net == Network::host && !policy.host_network)
    return fail("policy", "the operator of this host does not allow the network", "net", "leave it out: net is none");
  if (request.memory_kib && *request.memory_kib < least_memory_kib)
    return fail("bad_value", "is less than 1 MiB", "memory_max", "a bare number counts MiB");

  const auto chosen = [&]() -> Result<void> {
    if (auto r = choose(settings.timeout_ms, request.timeout_ms, policy.max_timeout_ms, "timeout", "ms"); !r) return r;
    if (auto r = choose(settings.memory_kib, request.memory_kib, policy.max_memory_kib, "memory_max", "KiB"); !r)
      return r;
    settings.disk_kib = settings.memory_kib / 2;
    if (auto r = choose(settings.disk_kib, request.disk_kib, policy.max_disk_kib, "disk", "KiB"); !r) return r;
    if (auto r = choose(settings.pids, request.pids, policy.max_pids, "pids_max", "processes"); !r) return r;
    if (auto r = choose(settings.output_bytes, request.output_bytes, policy.max_output_bytes, "output_max", "bytes");
        !r)
      return r;
    if (auto r = choose(settings.cpu_ms, request.cpu_ms, 0, "cpu_time", "ms"); !r) return r;
    if (auto r = choose(settings.open_files, request.open_files, 0, "open_files", "files"); !r) return r;
    return choose(settings.file_kib, request.file_kib, 0, "file_max", "KiB");
  }();
  if (!chosen) return Unexpected<Error>{chosen.error()};
  // A small init is the first process of the guest's tree; with a limit of one it could not start the payload.
  if (request.rootfs.empty() && settings.pids < 2)
    return fail("bad_value", "must be at least 2", "pids_max", "the sandbox's own init counts as one");
  return settings;
}

}  // namespace cocoon
