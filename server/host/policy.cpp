// Holding requests against the operator's policy.
#include "host/policy.hpp"

#include "host/os/paths.hpp"
#include "plan/host_paths.hpp"
#include "plan/shown.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <thread>

namespace cocoon {
namespace {

constexpr std::uint64_t kib_per_mib = 1024;
constexpr std::uint64_t ms_per_minute = 60'000;

bool allows(const OperatorPolicy& policy, std::string_view path, bool writable) {
  return std::any_of(policy.folders.begin(), policy.folders.end(), [&](const AllowedFolder& folder) {
    return (folder.writable || !writable) && is_within(path, folder.path);
  });
}

// Where a path leads, whether it exists or not.
const std::string& place_of(const PathFact& fact) { return fact.real.empty() ? fact.absolute : fact.real; }

Result<void> check_path(const HostPath& path, bool is_allowed, const OperatorPolicy& policy) {
  if (is_allowed) return {};
  const std::string allowed = allowed_folders_text(policy);
  return fail("policy",
              path.writable ? "the operator of this host does not let agents change this path"
                            : "the operator of this host does not let agents see this path",
              path.where(),
              allowed.empty() ? "no host folder is allowed: work in /tmp, and pass data by stdin or code"
                              : "allowed: " + allowed);
}

// Out of "X/.." the way goes on only if X exists, so X has to be one that may be known: what is allowed, what holds that,
// and where the server stands.
bool tells_nothing(const os::Way& way, const OperatorPolicy& policy, const std::string& current_folder) {
  return std::all_of(way.left.begin(), way.left.end(), [&](const std::string& folder) {
    return allows(policy, folder, false) || is_within(current_folder, folder) ||
           std::any_of(policy.folders.begin(), policy.folders.end(),
                       [&](const AllowedFolder& allowed) { return is_within(allowed.path, folder); });
  });
}

Result<void> check_paths(const Request& request, const OperatorPolicy& policy, const std::string& current_folder) {
  for (const HostPath& path : host_paths(request)) {
    const os::Way way = os::follow(os::is_absolute(path.given) ? path.given : os::join(current_folder, path.given));
    const bool is_allowed = allows(policy, place_of(os::path_fact(path.given, current_folder)), path.writable) &&
                            tells_nothing(way, policy, current_folder);
    if (Result<void> checked = check_path(path, is_allowed, policy); !checked) return checked;
  }
  return {};
}

Result<void> check_driver(const std::string& driver, const OperatorPolicy& policy) {
  if (driver.empty() || contains(policy.drivers, driver)) return {};
  if (policy.drivers.empty())
    return fail("policy", "the operator of this host lets no call choose a driver", "driver " + driver, "leave it out");
  return fail("policy", "the operator of this host does not allow this driver", "driver " + driver,
              "allowed: " + joined(policy.drivers, ", "));
}

}  // namespace

bool OperatorPolicy::allows_runtime(std::string_view name) const {
  return runtimes.empty() || contains(runtimes, name);
}

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
  if (text.empty()) return fail("bad_value", "must not be empty", std::string(where));
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

HostRules host_rules(const OperatorPolicy& policy) {
  HostRules rules{policy.drivers, {}};
  for (const AllowedFolder& folder : policy.folders)
    if (folder.writable) rules.guest_folders.push_back(folder.path);
  return rules;
}

Result<void> check_allowed(const Request& request, std::span<const std::string> runtimes, const OperatorPolicy& policy,
                           const std::string& current_folder) {
  const bool is_pipeline = !request.steps.empty();
  std::size_t number = 0;
  for (const Request& step : step_requests(request)) {
    const std::string_view runtime = number < runtimes.size() ? std::string_view(runtimes[number]) : "";
    ++number;
    if (!step.runtime.empty() && !policy.allows_runtime(runtime))
      return in_step(is_pipeline, number,
                     {"policy", "the operator of this host does not allow this runtime", "runtime " + step.runtime,
                      "allowed: " + joined(policy.runtimes, ", ")});
    if (!step.command.empty() && !policy.commands)
      return in_step(is_pipeline, number,
                     {"policy", "the operator of this host allows no commands", "command", "use a runtime with code"});
  }
  if (Result<void> allowed = check_driver(request.driver, policy); !allowed) return allowed;
  if (request.allow_protected && !policy.allow_protected)
    return fail("policy", "the operator of this host keeps protected files read-only", "allow_protected",
                "leave it out");
  return check_paths(request, policy, current_folder);
}

Result<void> check_allowed_paths(const Request& request, const Facts& facts, const OperatorPolicy& policy) {
  for (const HostPath& path : host_paths(request)) {
    const PathFact* fact = facts.path(path.given);
    const bool is_allowed = fact != nullptr && allows(policy, place_of(*fact), path.writable);
    if (Result<void> checked = check_path(path, is_allowed, policy); !checked) return checked;
  }
  return {};
}

std::string allowed_folders_text(const OperatorPolicy& policy) {
  std::string text;
  for (const AllowedFolder& folder : policy.folders)
    text.append(text.empty() ? "" : ", ").append(folder.path).append(folder.writable ? "" : " (read-only)");
  return text;
}

}  // namespace cocoon
