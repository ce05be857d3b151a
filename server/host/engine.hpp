// The engine: one request in, one Outcome out. parse -> facts -> plan -> driver -> captured output.
#pragma once

#include "host/facts.hpp"
#include "host/plugins.hpp"
#include "plan/planner.hpp"
#include "plan/request.hpp"

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>
#include <cocoon/result.hpp>

#include <cstddef>
#include <functional>

namespace cocoon {

struct EngineOptions {
  PluginOptions plugins;
  Policy policy;  // the operator's, for every request
  HostRules rules{};
};

struct RunOptions {
  // Output as it comes, standard input and cancellation, as abi.h describes them. With write NULL nobody watches.
  cocoon_run_io io = {sizeof(cocoon_run_io), nullptr, nullptr, {-1, -1}, -1, -1, nullptr};
  // What of each output stream becomes text of the Outcome: its first and last bytes. Both 0: none of it.
  std::size_t head_bytes = 512 * 1024;
  std::size_t tail_bytes = 512 * 1024;
};

struct Planned {
  Plan plan;
  Facts facts;
  const DriverPlugin* driver = nullptr;
  std::string stdin_text;  // the guest's standard input, where the request carries it
};

// Thread-safe: any number of runs at once.
class Engine {
 public:
  explicit Engine(EngineOptions options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // What would run, without running it. allow is asked when it is known what the paths of the request are, and before an
  // error tells anything about them.
  using Allow = std::function<Result<void>(const Facts&)>;
  Result<Planned> plan(const Request& request, const Allow& allow = {});

  // Blocks until the run is over. An Error: nothing was run.
  Result<Outcome> run(const Request& request, const RunOptions& options);
  Result<Outcome> run(const Planned& planned, const RunOptions& options);

  Plugins& plugins() { return plugins_; }
  const HostRules& rules() const { return rules_; }

 private:
  const Policy policy_;
  const HostRules rules_;
  Plugins plugins_;
  Drivers drivers_;
};

}  // namespace cocoon
