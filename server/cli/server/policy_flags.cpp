// From flags and file to a policy. A flag is remembered, and applied once the file has been read.
#include "cli/server/policy_flags.hpp"

#include "agent/agent.hpp"
#include "host/os/paths.hpp"

namespace cocoon::cli {
namespace {

constexpr std::size_t longest_policy = 1U << 20U;

using Apply = Result<void> (*)(OperatorPolicy& policy, std::string_view value, std::string_view where);

template <std::uint64_t Policy::*Member, std::uint64_t Unit>
Result<void> set_size(OperatorPolicy& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> bytes = parse_size(value, 1U << 20U, where);
  if (!bytes) return Unexpected<Error>{bytes.error()};
  policy.limits.*Member = (*bytes + Unit - 1) / Unit;
  return {};
}

Result<std::uint64_t> number(std::string_view value, std::string_view where) {
  Result<std::uint64_t> bytes = parse_size(std::string(value) + "B", 1, where);
  if (!bytes || *bytes == 0 || *bytes > 1'000'000)
    return fail("bad_value", "must be a whole number from 1 to 1000000", std::string(where));
  return bytes;
}

template <std::size_t OperatorPolicy::*Member>
Result<void> set_number(OperatorPolicy& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> count = number(value, where);
  if (!count) return Unexpected<Error>{count.error()};
  policy.*Member = *count;
  return {};
}

template <std::vector<std::string> OperatorPolicy::*Member>
Result<void> add_name(OperatorPolicy& policy, std::string_view value, std::string_view) {
  (policy.*Member).emplace_back(value);
  return {};
}

Result<void> set_network(OperatorPolicy& policy, std::string_view value, std::string_view where) {
  if (value != "none" && value != "host") return fail("bad_value", "is neither none nor host", std::string(where));
  policy.limits.host_network = value == "host";
  return {};
}

Result<void> set_timeout(OperatorPolicy& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> ms = parse_duration_ms(value, where);
  if (!ms) return Unexpected<Error>{ms.error()};
  policy.limits.max_timeout_ms = *ms;
  return {};
}

Result<void> set_pids(OperatorPolicy& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> count = number(value, where);
  if (!count) return Unexpected<Error>{count.error()};
  policy.limits.max_pids = *count;
  return {};
}

struct PolicyFlag {
  const char* name;
  const char* metavar;
  const char* help;
  Apply apply;
};

constexpr PolicyFlag table[] = {
    {"--allow", "DIR[:rw]",
     "A host folder that calls may name, read-only or writable (repeatable). Default: the current folder, read-only.",
     add_folder},
    {"--net", "NET", "none, or host: calls may ask for the host's network. Default: none.", set_network},
    {"--allow-runtime", "NAME", "A runtime that calls may use (repeatable). Default: all.",
     add_name<&OperatorPolicy::runtimes>},
    {"--allow-driver", "NAME", "A driver that may isolate (repeatable). Default: the strongest that works.",
     add_name<&OperatorPolicy::drivers>},
    {"--require", "LAYER", "An isolation layer without which nothing is run (repeatable).",
     add_name<&OperatorPolicy::require>},
    {"--max-timeout", "TIME", "Ceiling of a run's time. Default: 10m.", set_timeout},
    {"--max-mem", "MIB", "Ceiling of a run's memory. Default: 4096.", set_size<&Policy::max_memory_kib, 1024>},
    {"--max-pids", "N", "Ceiling of a run's processes. Default: 1024.", set_pids},
    {"--max-disk", "MIB", "Ceiling of a run's scratch. Default: 4096.", set_size<&Policy::max_disk_kib, 1024>},
    {"--max-output", "MIB", "Ceiling of what a run may print. Default: 256.", set_size<&Policy::max_output_bytes, 1>},
    {"--concurrent", "N", "Runs at once. Default: twice the processors, 4 to 32.",
     set_number<&OperatorPolicy::concurrent_runs>},
    {"--queue", "N", "Runs that may wait for their turn. Default: 256.", set_number<&OperatorPolicy::queued_runs>},
    {"--audit", "FILE", "Append one line of JSON about each run to FILE; without code, arguments or environment.",
     [](OperatorPolicy& policy, std::string_view value, std::string_view) -> Result<void> {
       policy.audit_file = std::string(value);
       return {};
     }},
};

// Lists of flags replace the file's, and do not add to them.
void forget_lists(OperatorPolicy& policy, std::string_view flag, std::vector<std::string>& seen) {
  for (const std::string& name : seen)
    if (name == flag) return;
  seen.emplace_back(flag);
  if (flag == "--allow") policy.folders.clear();
  if (flag == "--allow-runtime") policy.runtimes.clear();
  if (flag == "--allow-driver") policy.drivers.clear();
}

}  // namespace

void add_policy_flags(std::vector<Flag>& flags, ServerOptions& options) {
  flags.push_back({"--policy", "FILE", "TOML file with the operator's policy; flags win over it.",
                   [&options](std::string_view value, std::string_view) -> Result<void> {
                     options.policy_file = std::string(value);
                     return {};
                   }});
  const auto seen = std::make_shared<std::vector<std::string>>();
  for (const PolicyFlag& entry : table) {
    flags.push_back({entry.name, entry.metavar, entry.help,
                     [&options, &entry, seen](std::string_view value, std::string_view where) -> Result<void> {
                       options.overrides.emplace_back(
                           [&entry, seen, text = std::string(value), at = std::string(where)](OperatorPolicy& policy) {
                             forget_lists(policy, entry.name, *seen);
                             return entry.apply(policy, text, at);
                           });
                       return {};
                     }});
  }
}

Result<std::unique_ptr<agent::Agent>> make_agent(const ServerOptions& options) {
  OperatorPolicy policy = default_policy();
  if (!options.policy_file.empty()) {
    const Result<std::string> toml = os::read_file(options.policy_file, longest_policy);
    if (!toml) return Unexpected<Error>{toml.error()};
    if (Result<void> read = read_policy(*toml, options.policy_file, policy); !read)
      return Unexpected<Error>{read.error()};
  }
  for (const auto& apply : options.overrides)
    if (Result<void> applied = apply(policy); !applied) return Unexpected<Error>{applied.error()};
  const Result<std::string> folder = os::current_folder();
  if (!folder) return Unexpected<Error>{folder.error()};
  complete(policy, *folder, os::home_folder());
  Result<std::unique_ptr<Audit>> audit = Audit::open(policy.audit_file, policy.audit_code);
  if (!audit) return Unexpected<Error>{audit.error()};
  return std::make_unique<agent::Agent>(plugin_options(options.common), std::move(policy), *folder, std::move(*audit));
}

}  // namespace cocoon::cli
