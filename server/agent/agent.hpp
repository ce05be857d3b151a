// What agents are offered: tools that run programs in sandboxes within the operator's policy, and documentation.
#pragma once

#include "agent/live.hpp"
#include "agent/outputs.hpp"
#include "host/audit.hpp"
#include "host/engine.hpp"
#include "host/info.hpp"
#include "host/policy.hpp"
#include "mcp/backend.hpp"

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::agent {

inline constexpr std::array<std::uint64_t, 8> duration_bounds_ms = {10, 30, 100, 300, 1000, 3000, 10'000, 60'000};

// What the operator's monitoring wants to know.
struct Counters {
  std::map<std::string, std::uint64_t> endings;  // status of an Outcome, or "refused" -> runs
  std::uint64_t duration_ms = 0;                 // of all runs together
  // Runs that took up to each bound and longer than the one before; the last, longer than all.
  std::array<std::uint64_t, duration_bounds_ms.size() + 1> durations{};
};

class Agent : public mcp::Backend {
 public:
  // policy is complete(); current_folder is the server's.
  Agent(const PluginOptions& plugins, OperatorPolicy policy, std::string current_folder, std::unique_ptr<Audit> audit);

  const mcp::Catalog& catalog() const override { return catalog_; }
  bool is_long(const mcp::Work& work) const override;
  mcp::Reply perform(const mcp::Work& work, mcp::Observer& observer) override;
  mcp::Reply refuse_busy(const mcp::Work& work) override;

  const OperatorPolicy& policy() const { return policy_; }
  Counters counters();

 private:
  mcp::Reply dispatch(const mcp::Work& work, mcp::Observer& observer);
  mcp::Reply run(const mcp::Work& work, mcp::Observer& observer);
  Result<Planned> admit(const mcp::Work& work, std::optional<Request>& request);
  Result<void> check(const Request& request);
  Result<Outcome> execute(const mcp::Work& work, const Planned& planned, mcp::Observer& observer, KeptOutput& kept);
  mcp::Reply refuse(const mcp::Work& work, const std::optional<Request>& request, const Error& error);
  mcp::Reply show(const Outcome& outcome, KeptOutput kept);
  mcp::Reply show_refusal(const Error& error);
  void count(const Result<Outcome>& outcome);
  mcp::Reply read_output(const mcp::Json& arguments);
  mcp::Reply sandbox_info();
  mcp::Reply read_resource(const std::string& uri);
  mcp::Reply complete(const mcp::Json& params);
  std::shared_ptr<const Info> info();
  std::vector<std::string> runtime_names();

  const OperatorPolicy policy_;
  const std::string current_folder_;
  Engine engine_;
  std::unique_ptr<Audit> audit_;
  Outputs outputs_;
  Live live_;
  mcp::Catalog catalog_;

  std::mutex info_mutex_;
  std::shared_ptr<const Info> info_;
  std::chrono::steady_clock::time_point info_until_;

  std::mutex counters_mutex_;
  Counters counters_;
};

// The parts of it that are texts.
mcp::Catalog make_catalog(const OperatorPolicy& policy, const std::vector<std::string>& runtimes);
mcp::Json run_input_schema(const std::vector<std::string>& runtimes, bool of_pipeline);
// Whether run_pipeline, or else run_in_sandbox, has an argument for that field of requests.
bool takes_field(bool of_pipeline, std::string_view field);
std::vector<std::string> status_names();
mcp::Json outcome_schema(bool of_pipeline);
std::string outcome_text(const Outcome& outcome);
std::string sandbox_guide();
std::string policy_guide(const OperatorPolicy& policy);
std::string runtimes_guide(const Info& info, const OperatorPolicy& policy, const std::string& only);
mcp::Json policy_json(const OperatorPolicy& policy);

}  // namespace cocoon::agent
