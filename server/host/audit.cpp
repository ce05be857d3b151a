// Writing the record. Code, arguments, input and environment stay out of it unless the operator asked for them.
#include "host/audit.hpp"

#include "host/log.hpp"
#include "host/os/random.hpp"
#include "host/sha256.hpp"
#include "plan/host_paths.hpp"

#include <cocoon/json_writer.hpp>

namespace cocoon {
namespace {

std::string arguments_of(const Request& request) {
  std::string all;
  for (const std::string& word : request.command) all.append(word).push_back('\0');
  for (const std::string& word : request.args) all.append(word).push_back('\0');
  return all;
}

// What is run: of a request, or of a step.
void put_what(json::Writer& writer, const Request& request, bool with_code) {
  writer.put_some("name", request.name);
  writer.put_some("runtime", request.runtime);
  if (!request.command.empty()) writer.put("program", request.command.front());
  writer.put_some("file", request.file);
  if (request.code) writer.put("code_sha256", sha256_hex(*request.code));
  if (const std::string arguments = arguments_of(request); !arguments.empty())
    writer.put("argv_sha256", sha256_hex(arguments));
  if (request.stdin_text) writer.put("stdin_sha256", sha256_hex(*request.stdin_text));
  if (!with_code) return;
  if (request.code) writer.put("code", *request.code);
  if (!request.command.empty()) writer.put("argv", request.command);
  if (!request.args.empty()) writer.put("args", request.args);
  if (request.stdin_text) writer.put("stdin", *request.stdin_text);
  if (!request.env.empty()) {
    writer.key("env");
    writer.pairs(request.env);
  }
}

// The host's paths by field, and those of them that could be changed. A step's file is with the step.
void put_grants(json::Writer& writer, const Request& request) {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> fields;
  std::vector<std::string> writable;
  for (const HostPath& path : host_paths(request)) {
    if (path.field == "file") continue;
    if (fields.empty() || fields.back().first != path.field) fields.push_back({path.field, {}});
    fields.back().second.push_back(path.given);
    if (path.writable) writable.push_back(path.given);
  }
  for (const auto& [field, paths] : fields) writer.put(field, paths);
  writer.put_some("writable", writable);
  writer.put("net", request.net == Network::host ? "host" : "none");
  writer.put_some("allow_protected", request.allow_protected);
}

void put_request(json::Writer& writer, const Request& request, bool with_code) {
  put_what(writer, request, with_code);
  if (!request.steps.empty()) {
    writer.key("steps");
    writer.begin_list();
    for (const Request& step : request.steps) {
      writer.begin_object();
      put_what(writer, step, with_code);
      writer.end_object();
    }
    writer.end_list();
  }
  put_grants(writer, request);
}

void put_error(json::Writer& writer, const Error& error) {
  writer.put("status", "refused");
  writer.put("error", error.code);
  writer.put_some("where", error.where);
}

json::Writer line_of(std::string_view event, const Audit::Call& call) {
  json::Writer writer(-1);
  writer.begin_object();
  writer.put("time", os::utc_now());
  writer.put("event", event);
  writer.put("caller", call.caller);
  writer.put("tool", call.tool);
  return writer;
}

}  // namespace

Result<std::unique_ptr<Audit>> Audit::open(const std::string& file, bool with_code) {
  if (file.empty()) return std::unique_ptr<Audit>(new Audit(os::AppendFile(), with_code));
  Result<os::AppendFile> opened = os::AppendFile::open(file);
  if (!opened) return Unexpected<Error>{opened.error()};
  return std::unique_ptr<Audit>(new Audit(std::move(*opened), with_code));
}

Result<void> Audit::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  Result<void> written;
  if (!broken_) written = file_.append(line + "\n");
  if (!written) {
    broken_ = true;
    log(LogLevel::error, "audit " + written.error().where + ": " + written.error().message);
  }
  if (broken_) return fail("audit", "what is run can't be recorded, so nothing is run", "audit", "tell the operator");
  return {};
}

Result<std::string> Audit::begin(const Call& call, const Request& request, std::string_view driver) {
  if (!file_.is_open()) return std::string();
  std::string run = os::random_name();
  json::Writer writer = line_of("begin", call);
  writer.put("run", run);
  writer.put("driver", driver);
  put_request(writer, request, with_code_);
  writer.end_object();
  if (Result<void> written = append(writer.take()); !written) return Unexpected<Error>{written.error()};
  return run;
}

Result<void> Audit::end(const Call& call, const std::string& run, const Result<Outcome>& outcome) {
  if (!file_.is_open()) return {};
  json::Writer writer = line_of("end", call);
  writer.put("run", run);
  if (outcome) {
    writer.put("status", to_string(outcome->status));
    writer.put("exit_code", outcome->exit_code);
    writer.put("driver", outcome->driver);
    writer.put("duration_ms", json::nearest(outcome->duration_ms));
    writer.put("cpu_ms", json::nearest(outcome->cpu_ms));
    writer.put("peak_mem_kib", outcome->peak_mem_kib);
    writer.put("stdout_bytes", outcome->stdout_bytes);
    writer.put("stderr_bytes", outcome->stderr_bytes);
    if (!outcome->steps.empty()) {
      writer.put("steps_run", static_cast<std::uint64_t>(outcome->steps.size()));
      writer.put("steps_skipped", outcome->steps_skipped);
    }
  } else {
    put_error(writer, outcome.error());
  }
  writer.end_object();
  return append(writer.take());
}

Result<void> Audit::refused(const Call& call, const std::optional<Request>& request, const Error& error) {
  if (!file_.is_open()) return {};
  json::Writer writer = line_of("refused", call);
  put_error(writer, error);
  if (request) put_request(writer, *request, with_code_);
  writer.end_object();
  return append(writer.take());
}

}  // namespace cocoon
