// The operator's policy: what agents may ask for. Set when a server starts, from a file and flags; no request widens it.
#pragma once

#include "host/facts.hpp"
#include "plan/planner.hpp"

#include <cocoon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

struct AllowedFolder {
  std::string path;  // real
  bool writable = false;
};

struct OperatorPolicy {
  Policy limits;
  std::vector<AllowedFolder> folders;  // host folders, and all in them, that a request may name
  bool folders_given = false;          // otherwise they are the default: the current folder, read-only
  bool commands = true;                // any program of the system, not only a runtime
  std::vector<std::string> runtimes;   // empty: all
  std::vector<std::string> drivers;    // that may isolate; empty: the strongest, and no request names one
  std::vector<std::string> require;    // isolation layers without which nothing is run
  bool allow_protected = false;

  std::size_t concurrent_runs = 0;                 // 0: as many as this host has use for
  std::size_t queued_runs = 256;                   // that wait for their turn; more are refused
  std::size_t shown_output_bytes = 32U << 10U;     // of each stream, in a result; the rest can be read by range
  std::size_t kept_output_bytes = 4U << 20U;       // of each stream, for that
  std::size_t all_kept_output_bytes = 64U << 20U;  // of all runs together; the oldest go first

  std::string audit_file;   // empty: none
  bool audit_code = false;  // code, arguments, input and environment too, which may hold secrets

  bool allows_runtime(std::string_view name) const;
};

// What holds where the operator says nothing: no network, nothing writable, generous ceilings.
OperatorPolicy default_policy();

// Reads a TOML file into policy, over what is there. Unknown keys and wrong types are errors with their line.
Result<void> read_policy(std::string_view toml, const std::string& name, OperatorPolicy& policy);

// "PATH", "PATH:ro" or "PATH:rw"; the folder has to exist.
Result<void> add_folder(OperatorPolicy& policy, std::string_view text, std::string_view where);

// Ends the reading: the default folder and the number of runs, where they were not given.
void complete(OperatorPolicy& policy, const std::string& current_folder, const std::string& home);

// The policy's part in what an engine does.
HostRules host_rules(const OperatorPolicy& policy);

// Refuses what the operator does not allow, before anything on this host is looked at but the paths of the request. The
// answer is the same whether a path that is not allowed exists or not. runtimes: one for each of step_requests(request),
// each by its plugin's own name, and not by an alias; empty: none is asked for.
Result<void> check_allowed(const Request& request, std::span<const std::string> runtimes, const OperatorPolicy& policy,
                           const std::string& current_folder);
// Likewise about the paths as the facts have them, which may have changed since.
Result<void> check_allowed_paths(const Request& request, const Facts& facts, const OperatorPolicy& policy);

// The allowed folders for people and models to read: "/srv/repo (read-only), /srv/out".
std::string allowed_folders_text(const OperatorPolicy& policy);

}  // namespace cocoon
