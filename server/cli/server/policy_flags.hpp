// The flags of both servers: the operator's policy, and how much of this host they may take.
#pragma once

#include "cli/common.hpp"
#include "host/policy.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cocoon::agent {
class Agent;
}

namespace cocoon::cli {

struct ServerOptions {
  Common common;
  std::string policy_file;
  std::vector<std::function<Result<void>(OperatorPolicy&)>> overrides;  // flags win over the file
};

void add_policy_flags(std::vector<Flag>& flags, ServerOptions& options);

// Reads the policy file, then the flags over it, and makes what agents are offered.
Result<std::unique_ptr<agent::Agent>> make_agent(const ServerOptions& options);

}  // namespace cocoon::cli
