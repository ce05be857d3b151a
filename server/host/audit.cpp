// Writing the record. Code, arguments and environment stay out of it unless the operator asked for them.
#include "host/audit.hpp"

#include "host/log.hpp"
#include "host/sha256.hpp"

#include <cocoon/json_writer.hpp>

namespace cocoon {
namespace {

std::string arguments_of(const Request& request) {
  std::string all;
  for (const std::string& word : request.command) all.append(word).push_back('\0');
  for (const std::string& word : request.args) all.append(word).push_back('\0');
  return all;
}

void put_what(json::Writer& writer, const Request& request, bool with_code) {
  writer.put_some("runtime", request.runtime);
  if (!request.command.empty()) writer.put("program", request.command.front());
  writer.put_some("file", request.file);
  if (request.code) writer.put("code_sha256", sha256_hex(*request.code));
  if (const std::string arguments = arguments_of(request); !arguments.empty())
    writer.put("argv_sha256", sha256_hex(arguments));
  if (!with_code) return;
  if (request.code) writer.put("code", *request.code);
  if (!request.command.empty()) writer.put("argv", request.command);
  if (!request.args.empty()) writer.put("args", request.args);
  if (!request.env.empty()) {
    writer.key("env");
    writer.pairs(request.env);
  }
}

void put_grants(json::Writer& writer, const Request& request) {
  writer.put_some("ro", request.ro);
  writer.put_some("work", request.work);
  writer.put_some("copy", request.copy);
  writer.put_some("temp", request.temp);
  writer.put_some("rootfs", request.rootfs);
  writer.put("net", request.net == Network::host ? "host" : "none");
}

}  // namespace

Result<std::unique_ptr<Audit>> Audit::open(const std::string& file, bool with_code) {
  if (file.empty()) return std::unique_ptr<Audit>(new Audit(os::AppendFile(), with_code));
  Result<os::AppendFile> opened = os::AppendFile::open(file);
  if (!opened) return Unexpected<Error>{opened.error()};
  return std::unique_ptr<Audit>(new Audit(std::move(*opened), with_code));
}

Result<void> Audit::check() {
  const std::lock_guard lock(mutex_);
  if (broken_) return fail("audit", "what is run can't be recorded, so nothing is run", "audit", "tell the operator");
  return {};
}

Result<void> Audit::record(std::string_view caller, std::string_view tool, const Request& request,
                           const Result<Outcome>& outcome) {
  const std::lock_guard lock(mutex_);
  if (!file_.is_open()) return {};
  json::Writer writer(-1);
  writer.begin_object();
  writer.put("time", os::utc_now());
  writer.put("caller", caller);
  writer.put("tool", tool);
  put_what(writer, request, with_code_);
  put_grants(writer, request);
  if (outcome) {
    writer.put("status", to_string(outcome->status));
    writer.put("exit_code", outcome->exit_code);
    writer.put("driver", outcome->driver);
    writer.put("duration_ms", json::nearest(outcome->duration_ms));
    writer.put("cpu_ms", json::nearest(outcome->cpu_ms));
    writer.put("peak_mem_kib", outcome->peak_mem_kib);
    writer.put("stdout_bytes", outcome->stdout_bytes);
    writer.put("stderr_bytes", outcome->stderr_bytes);
  } else {
    writer.put("status", "refused");
    writer.put("error", outcome.error().code);
    writer.put_some("where", outcome.error().where);
  }
  writer.end_object();
  Result<void> written = file_.append(writer.take() + "\n");
  if (!written) {
    broken_ = true;
    log(LogLevel::error, "audit " + written.error().where + ": " + written.error().message);
  }
  return written;
}

}  // namespace cocoon
