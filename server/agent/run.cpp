// run_in_sandbox: from a call's arguments to a run within the policy, and its Outcome as a result.
#include "agent/agent.hpp"
#include "host/utf8_repair.hpp"

#include <algorithm>

namespace cocoon::agent {
namespace {

using mcp::Json;
using mcp::Reply;

bool is_utf8(std::string_view text) { return repair_utf8(text) == text; }

struct Collector {
  Live::Watch* watch;
  KeptOutput& kept;
  std::size_t max_bytes;
};

size_t collect(void* ctx, int32_t stream, const char* data, size_t len) noexcept {
  Collector& collector = *static_cast<Collector*>(ctx);
  try {
    std::string& kept = stream == COCOON_STDERR ? collector.kept.err : collector.kept.out;
    kept.append(data, std::min(len, collector.max_bytes - std::min(collector.max_bytes, kept.size())));
    if (collector.watch != nullptr) collector.watch->output({data, len});
  } catch (...) {  // what can't be kept is not shown by range; the Outcome has its own capture
  }
  return len;
}

}  // namespace

Result<void> Agent::check_one(const Request& request) {
  std::string runtime = request.runtime;
  if (!runtime.empty()) {
    const Result<const RuntimePlugin*> plugin = engine_.plugins().runtime(runtime);
    if (!plugin) return Unexpected<Error>{plugin.error()};
    runtime = (*plugin)->name;
  }
  return check_allowed(request, runtime, policy_, current_folder_);
}

// A pipeline is held against the policy as a whole, and each of its steps as the run of its own that it becomes.
Result<void> Agent::check(const Request& request) {
  if (Result<void> allowed = check_one(request); !allowed) return allowed;
  for (const Request& step : step_requests(request))
    if (Result<void> allowed = check_one(step); !allowed) return allowed;
  return {};
}

Result<Outcome> Agent::run_request(const mcp::Work& work, Request& request, mcp::Observer& observer, KeptOutput& kept) {
  if (Result<void> recorded = audit_->check(); !recorded) return Unexpected<Error>{recorded.error()};
  if (Result<void> sound = check_request(request); !sound) return Unexpected<Error>{sound.error()};
  if (Result<void> allowed = check(request); !allowed) return Unexpected<Error>{allowed.error()};
  if (request.driver.empty() && policy_.drivers.size() == 1) request.driver = policy_.drivers.front();
  request.require.insert(request.require.end(), policy_.require.begin(), policy_.require.end());
  Result<Planned> planned = engine_.plan(request);
  if (!planned) return Unexpected<Error>{planned.error()};
  if (Result<void> allowed = check_allowed_paths(request, planned->facts, policy_); !allowed)
    return Unexpected<Error>{allowed.error()};

  std::optional<Live::Watch> watch;
  if (work.wants_progress)
    watch.emplace(live_, observer, static_cast<double>(planned->plan.stages.front().limits.timeout_ms) / 1000);
  Collector collector{watch ? &*watch : nullptr, kept, policy_.kept_output_bytes};
  RunOptions options;
  options.head_bytes = options.tail_bytes = std::max<std::size_t>(policy_.shown_output_bytes / 2, 1);
  options.io.ctx = &collector;
  options.io.write = &collect;
  options.io.cancel_fd = observer.cancel_fd();
  return engine_.run(*planned, options);
}

Reply Agent::run(const mcp::Work& work, mcp::Observer& observer) {
  Result<Request> request = parse_request(mcp::to_text(work.arguments));
  KeptOutput kept;
  const Result<Outcome> outcome =
      request ? run_request(work, *request, observer, kept) : Result<Outcome>(Unexpected<Error>{request.error()});
  count(outcome);
  if (request) {
    if (Result<void> recorded = audit_->record(work.caller, work.name, *request, outcome); !recorded && outcome) {
      Outcome unrecorded = *outcome;
      unrecorded.error = recorded.error();
      return show(unrecorded, std::move(kept));
    }
  }
  if (outcome) {
    observer.log("info",
                 {{"tool", work.name}, {"status", to_string(outcome->status)}, {"exit_code", outcome->exit_code}});
    return show(*outcome, std::move(kept));
  }
  // Nothing was run. Told as an Outcome, so that every result has one shape.
  Outcome refused;
  refused.error = outcome.error();
  return show(refused, {});
}

Reply Agent::show(const Outcome& outcome, KeptOutput kept) {
  Result<Json> json = mcp::parse_json(to_json(outcome));
  if (!json) return {{}, mcp::RpcError{mcp::code_internal, json.error().message, {}}};
  Reply reply;
  Json& content = reply.result["content"] = Json::array();
  content.push_back({{"type", "text"}, {"text", outcome_text(outcome)}});
  const bool out = outcome.stdout_truncated || !is_utf8(kept.out);
  const bool err = outcome.stderr_truncated || !is_utf8(kept.err);
  if ((out && !kept.out.empty()) || (err && !kept.err.empty())) {
    const bool has_out = out && !kept.out.empty();
    const bool has_err = err && !kept.err.empty();
    const std::string id = outputs_.keep(std::move(kept));
    for (const bool is_stderr : {false, true}) {
      if (is_stderr ? !has_err : !has_out) continue;
      const std::string uri = output_uri(id, is_stderr);
      const char* name = is_stderr ? "full_stderr" : "full_stdout";
      (*json)[name] = uri;
      content.push_back({{"type", "resource_link"},
                         {"uri", uri},
                         {"name", name},
                         {"description", "All of it, for read_output or resources/read"}});
      content[0]["text"].get_ref<std::string&>() += std::string(name) + ": " + uri + "\n";
    }
  }
  reply.result["structuredContent"] = std::move(*json);
  if (outcome.status == Status::setup_failed) reply.result["isError"] = true;
  return reply;
}

void Agent::count(const Result<Outcome>& outcome) {
  const std::lock_guard lock(counters_mutex_);
  ++counters_.endings[outcome ? std::string(to_string(outcome->status)) : "refused"];
  if (!outcome) return;
  const auto ms = static_cast<std::uint64_t>(outcome->duration_ms);
  counters_.duration_ms += ms;
  const auto bound = std::lower_bound(duration_bounds_ms.begin(), duration_bounds_ms.end(), ms);
  ++counters_.durations[static_cast<std::size_t>(bound - duration_bounds_ms.begin())];
}

Counters Agent::counters() {
  const std::lock_guard lock(counters_mutex_);
  return counters_;
}

// For clients that show a model the text and nothing else.
std::string outcome_text(const Outcome& outcome) {
  std::string text;
  if (outcome.error) {
    text = outcome.error->code + ": " + (outcome.error->where.empty() ? "" : outcome.error->where + ": ") +
           outcome.error->message + (outcome.error->hint.empty() ? "" : " (" + outcome.error->hint + ")") + "\n";
    if (outcome.status == Status::setup_failed) return text + "Nothing was run.\n";
  }
  text += "status: " + std::string(to_string(outcome.status)) + ", exit code " + std::to_string(outcome.exit_code);
  if (outcome.signal != 0) text += ", signal " + std::to_string(outcome.signal);
  text += ", " + std::to_string(static_cast<std::uint64_t>(outcome.duration_ms)) + " ms\n";
  for (const Outcome& step : outcome.steps) {
    text += "\n# step " + std::to_string(&step - outcome.steps.data() + 1);
    text += (step.name.empty() ? "" : " " + step.name) + "\n" + outcome_text(step);
  }
  if (outcome.steps_skipped > 0) text += std::to_string(outcome.steps_skipped) + " steps were not run\n";
  for (const std::string& name : outcome.planted) text += "created a file that programs obey later: " + name + "\n";
  const auto add = [&](const char* name, const std::string& stream) {
    if (stream.empty()) return;
    text.append("--- ").append(name).append("\n").append(stream);
    if (!text.ends_with('\n')) text += '\n';
  };
  add("stdout", outcome.stdout_text);
  add("stderr", outcome.stderr_text);
  return text;
}

}  // namespace cocoon::agent
