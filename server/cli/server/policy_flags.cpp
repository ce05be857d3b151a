// From flags and file to a policy. A flag is remembered, and applied once the file has been read.
#include "cli/server/policy_flags.hpp"

#include "agent/agent.hpp"
#include "host/os/paths.hpp"
#include "host/policy_keys.hpp"
#include "plan/text.hpp"

#include <variant>

namespace cocoon::cli {
namespace {

constexpr std::size_t longest_policy = 1U << 20U;

// With the default, where that is a number.
std::string help_of(const PolicyKey& key) {
  const OperatorPolicy policy = default_policy();
  const PolicyValue value = key.get(policy);
  const double* number = std::get_if<double>(&value);
  return std::string(key.help) + (number != nullptr && *number > 0 ? " Default: " + key.text(policy) + "." : "");
}

// A list's flags together replace the file's list, and do not add to it.
Result<void> apply(const PolicyKey& key, const std::string& value, const std::string& where,
                   std::vector<std::string_view>& seen, OperatorPolicy& policy) {
  if (!contains(seen, key.flag)) {
    seen.push_back(key.flag);
    key.clear(policy);
  }
  return key.set(policy, value, where);
}

}  // namespace

void add_policy_flags(std::vector<Flag>& flags, ServerOptions& options) {
  flags.push_back({"--policy", "FILE", "TOML file with the operator's policy; flags win over it.",
                   [&options](std::string_view value, std::string_view) -> Result<void> {
                     options.policy_file = std::string(value);
                     return {};
                   }});
  const auto seen = std::make_shared<std::vector<std::string_view>>();
  for (const PolicyKey& key : policy_keys()) {
    if (key.flag.empty()) continue;
    flags.push_back({std::string(key.flag), std::string(key.metavar), help_of(key),
                     [&options, &key, seen](std::string_view value, std::string_view where) -> Result<void> {
                       options.overrides.emplace_back(
                           [&key, seen, text = std::string(value), at = std::string(where)](OperatorPolicy& policy) {
                             return apply(key, text, at, *seen, policy);
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
  for (const auto& set : options.overrides)
    if (Result<void> applied = set(policy); !applied) return Unexpected<Error>{applied.error()};
  const Result<std::string> folder = os::current_folder();
  if (!folder) return Unexpected<Error>{folder.error()};
  complete(policy, *folder, os::home_folder());
  Result<std::unique_ptr<Audit>> audit = Audit::open(policy.audit_file, policy.audit_code);
  if (!audit) return Unexpected<Error>{audit.error()};
  return std::make_unique<agent::Agent>(plugin_options(options.common), std::move(policy), *folder, std::move(*audit));
}

}  // namespace cocoon::cli
