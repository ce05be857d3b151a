// Holding requests against the operator's policy.
#include "host/policy.hpp"

#include "host/os/paths.hpp"
#include "lexical.hpp"
#include "plan/shown.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <functional>
#include <thread>

namespace cocoon {
namespace {

constexpr std::uint64_t kib_per_mib = 1024;
constexpr std::uint64_t ms_per_minute = 60'000;

struct AskedPath {
  std::string field;
  std::string given;
  bool writable = false;
};

std::vector<AskedPath> asked_paths(const Request& request) {
  std::vector<AskedPath> asked;
  const auto add = [&](const char* field, const std::string& given, bool writable) {
    if (!given.empty()) asked.push_back({field, given, writable});
  };
  for (const std::string& path : request.ro) add("ro", path, false);
  for (const std::string& path : request.copy) add("copy", path, false);
  add("file", request.file, false);
  add("work", request.work, true);
  add("temp", request.temp, true);
  // The profile "build" makes a rootfs writable.
  add("rootfs", request.rootfs, !request.readonly.value_or(request.profile != "build"));
  for (const ExtraMount& mount : request.mounts) add("mount", mount.source, mount.writable);
  return asked;
}

bool allows(const OperatorPolicy& policy, std::string_view path, bool writable) {
  return std::any_of(policy.folders.begin(), policy.folders.end(), [&](const AllowedFolder& folder) {
    return (folder.writable || !writable) && is_within(path, folder.path);
  });
}

Result<void> check_paths(const Request& request, const OperatorPolicy& policy,
                         const std::function<PathFact(const std::string&)>& look_up) {
  for (const AskedPath& asked : asked_paths(request)) {
    const PathFact fact = look_up(asked.given);
    if (allows(policy, fact.real.empty() ? fact.absolute : fact.real, asked.writable)) continue;
    const std::string allowed = allowed_folders_text(policy);
    return fail("policy",
                asked.writable ? "the operator of this host does not let agents change this path"
                               : "the operator of this host does not let agents see this path",
                asked.field + " " + asked.given,
                allowed.empty() ? "no host folder is allowed: work in /tmp, and pass data by stdin or code"
                                : "allowed: " + allowed);
  }
  return {};
}

bool is_listed(const std::vector<std::string>& list, std::string_view name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

}  // namespace

OperatorPolicy default_policy() {
  OperatorPolicy policy;
  policy.limits.host_network = false;
  policy.limits.max_timeout_ms = 10 * ms_per_minute;
  policy.limits.max_memory_kib = 4096 * kib_per_mib;
  policy.limits.max_pids = 1024;
  policy.limits.max_output_bytes = 256U << 20U;
  policy.limits.max_disk_kib = 4096 * kib_per_mib;
  return policy;
}

Result<void> add_folder(OperatorPolicy& policy, std::string_view text, std::string_view where) {
  bool writable = false;
  if (text.ends_with(":rw") || text.ends_with(":ro")) {
    writable = text.ends_with(":rw");
    text.remove_suffix(3);
  }
  const Result<std::string> cwd = os::current_folder();
  const std::optional<std::string> real = os::real(os::absolute(text, cwd ? *cwd : "/"));
  if (!real) return fail("path_missing", "there is no " + quoted(text), std::string(where));
  if (*real == "/" || is_kernel_path(*real))
    return fail("bad_value", quoted(text) + " can't be shown to a guest", std::string(where), "name a folder in it");
  policy.folders.push_back({*real, writable});
  policy.folders_given = true;
  return {};
}

void complete(OperatorPolicy& policy, const std::string& current_folder, const std::string& home) {
  if (!policy.folders_given && may_show_unasked(current_folder, home))
    policy.folders.push_back({current_folder, false});
  policy.limits.current_folder = allows(policy, current_folder, false);
  if (policy.concurrent_runs == 0)
    policy.concurrent_runs = std::clamp<std::size_t>(2 * std::thread::hardware_concurrency(), 4, 32);
}

Result<void> check_allowed(const Request& request, std::string_view runtime, const OperatorPolicy& policy,
                           const std::string& current_folder) {
  if (!request.runtime.empty() && !is_listed(policy.runtimes, runtime))
    return fail("policy", "the operator of this host does not allow this runtime", "runtime " + request.runtime,
                "allowed: " + joined_names(policy.runtimes));
  if (!request.command.empty() && !policy.commands)
    return fail("policy", "the operator of this host allows no commands", "command", "use a runtime with code");
  if (!request.driver.empty() && !is_listed(policy.drivers, request.driver))
    return fail("policy", "the operator of this host does not allow this driver", "driver " + request.driver,
                "allowed: " + joined_names(policy.drivers));
  if (request.allow_protected && !policy.allow_protected)
    return fail("policy", "the operator of this host keeps protected files read-only", "allow_protected",
                "leave it out");
  return check_paths(request, policy, [&](const std::string& given) { return os::path_fact(given, current_folder); });
}

Result<void> check_allowed_paths(const Request& request, const Facts& facts, const OperatorPolicy& policy) {
  if (!is_listed(policy.drivers, facts.driver.name))
    return fail("policy", "the operator of this host does not allow the driver that works here",
                "driver " + facts.driver.name, "allowed: " + joined_names(policy.drivers));
  return check_paths(request, policy, [&](const std::string& given) {
    const PathFact* fact = facts.path(given);
    return fact == nullptr ? PathFact{} : *fact;
  });
}

std::string allowed_folders_text(const OperatorPolicy& policy) {
  std::string text;
  for (const AllowedFolder& folder : policy.folders)
    text.append(text.empty() ? "" : ", ").append(folder.path).append(folder.writable ? "" : " (read-only)");
  return text;
}

}  // namespace cocoon
