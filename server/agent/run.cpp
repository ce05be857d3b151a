// run_in_sandbox: from a call's arguments to a run within the policy, and its Outcome as a result.
#include "agent/agent.hpp"
#include "plan/text.hpp"

#include <algorithm>

namespace cocoon::agent {
namespace {

using mcp::Json;
using mcp::Reply;

constexpr const char* pipeline_tool = "run_pipeline";

// What the other of the two tools takes. Arguments that neither knows are the reader's to refuse.
Result<void> check_arguments(const mcp::Work& work) {
  const bool of_pipeline = work.name == pipeline_tool;
  for (const auto& [name, value] : work.arguments.items()) {
    const Field* field = find_field(name);
    if (field == nullptr || takes_field(of_pipeline, field->name)) continue;
    if (!of_pipeline)
      return fail("unknown_key", "is not an argument of run_in_sandbox", name, "run_pipeline runs steps");
    return fail("unknown_key", "is not an argument of run_pipeline", name,
                is_step_field(field->name) ? "say it of a step, or call run_in_sandbox" : "call run_in_sandbox");
  }
  return {};
}

Result<Request> read_arguments(const mcp::Work& work) {
  if (Result<void> checked = check_arguments(work); !checked) return Unexpected<Error>{checked.error()};
  Result<Request> request = parse_request(mcp::to_text(work.arguments));
  if (request && work.name == pipeline_tool && request->steps.empty())
    return fail("missing_value", "names nothing to run", "steps",
                "a list of steps: each a command, or a runtime with code or file");
  return request;
}

// Of all steps together, or of the one thing that is run.
double seconds_at_most(const Plan& plan) {
  const std::uint64_t ms = plan.timeout_ms != 0 ? plan.timeout_ms : plan.stages.front().limits.timeout_ms;
  return static_cast<double>(ms) / 1000;
}

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
  } catch (...) {  // NOLINT(bugprone-empty-catch): what can't be kept is not shown by range
  }
  return len;
}

}  // namespace

// A pipeline is held against the policy as a whole, and each of its steps as the run of its own that it becomes.
Result<void> Agent::check(const Request& request) {
  std::vector<std::string> runtimes;
  for (const Request& step : step_requests(request)) {
    runtimes.emplace_back();
    if (step.runtime.empty()) continue;
    const Result<const RuntimePlugin*> plugin = engine_.plugins().runtime(step.runtime);
    if (!plugin) return in_step(!request.steps.empty(), runtimes.size(), plugin.error());
    runtimes.back() = (*plugin)->name;
  }
  return check_allowed(request, runtimes, policy_, current_folder_);
}

Result<Planned> Agent::admit(const mcp::Work& work, std::optional<Request>& request) {
  Result<Request> read = read_arguments(work);
  if (!read) return Unexpected<Error>{read.error()};
  Request& asked = request.emplace(std::move(*read));
  if (Result<void> sound = check_request(asked); !sound) return Unexpected<Error>{sound.error()};
  if (Result<void> allowed = check(asked); !allowed) return Unexpected<Error>{allowed.error()};
  asked.require.insert(asked.require.end(), policy_.require.begin(), policy_.require.end());
  return engine_.plan(asked, [&](const Facts& facts) { return check_allowed_paths(asked, facts, policy_); });
}

Result<Outcome> Agent::execute(const mcp::Work& work, const Planned& planned, mcp::Observer& observer,
                               KeptOutput& kept) {
  std::optional<Live::Watch> watch;
  if (work.wants_progress) watch.emplace(live_, observer, seconds_at_most(planned.plan));
  Collector collector{watch ? &*watch : nullptr, kept, policy_.kept_output_bytes};
  RunOptions options;
  options.head_bytes = options.tail_bytes = std::max<std::size_t>(policy_.shown_output_bytes / 2, 1);
  options.io.ctx = &collector;
  options.io.write = &collect;
  options.io.cancel_fd = observer.cancel_fd();
  return engine_.run(planned, options);
}

Reply Agent::run(const mcp::Work& work, mcp::Observer& observer) {
  std::optional<Request> request;
  const Result<Planned> planned = admit(work, request);
  if (!planned) return refuse(work, request, planned.error());
  const Audit::Call call{work.caller, work.name};
  const Result<std::string> run = audit_->begin(call, *request, planned->plan.driver);
  if (!run) return refuse(work, request, run.error());
  KeptOutput kept;
  Result<Outcome> outcome = execute(work, *planned, observer, kept);
  count(outcome);
  const Result<void> recorded = audit_->end(call, *run, outcome);
  if (!outcome) return show_refusal(outcome.error());
  if (!recorded) outcome->error = recorded.error();
  observer.log("info",
               {{"tool", work.name}, {"status", to_string(outcome->status)}, {"exit_code", outcome->exit_code}});
  return show(*outcome, std::move(kept));
}

// Nothing was run. Told as an Outcome, so that every result has one shape.
Reply Agent::refuse(const mcp::Work& work, const std::optional<Request>& request, const Error& error) {
  count(Unexpected<Error>{error});
  // What can't be recorded is not run; a refusal is none the less one.
  static_cast<void>(audit_->refused({work.caller, work.name}, request, error));
  return show_refusal(error);
}

Reply Agent::show_refusal(const Error& error) {
  Outcome refused;
  refused.error = error;
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
