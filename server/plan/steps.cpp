// The steps of a pipeline: each as a request of its own.
#include "plan/request.hpp"

namespace cocoon {
namespace {

template <typename Value>
void prefer(Value& value, const Value& own) {
  if (own) value = own;
}

Request step_request(const Request& common, const Request& step, bool is_first) {
  Request request = common;
  request.name = step.name;
  request.runtime = step.runtime;
  request.code = step.code;
  request.file = step.file;
  request.args = step.args;
  request.command = step.command;
  request.env.insert(request.env.end(), step.env.begin(), step.env.end());
  if (!step.cwd.empty()) request.cwd = step.cwd;
  // Without a limit of its own a step has the pipeline's, which bounds all of them together.
  prefer(request.timeout_ms, common.step_timeout_ms);
  prefer(request.timeout_ms, step.timeout_ms);
  request.step_timeout_ms.reset();
  prefer(request.memory_kib, step.memory_kib);
  prefer(request.pids, step.pids);
  prefer(request.cpu_ms, step.cpu_ms);
  prefer(request.disk_kib, step.disk_kib);
  prefer(request.output_bytes, step.output_bytes);
  prefer(request.file_kib, step.file_kib);
  prefer(request.open_files, step.open_files);
  // There is one standard input, and the first step reads it.
  if (!is_first) {
    request.stdin_open = false;
    request.stdin_text.reset();
  }
  return request;
}

}  // namespace

std::vector<Request> step_requests(const Request& pipeline) {
  if (pipeline.steps.empty()) return {pipeline};
  std::vector<Request> requests;
  Request common = pipeline;
  common.steps.clear();
  common.keep_going = false;
  requests.reserve(pipeline.steps.size());
  for (const Request& step : pipeline.steps) requests.push_back(step_request(common, step, requests.empty()));
  return requests;
}

}  // namespace cocoon
