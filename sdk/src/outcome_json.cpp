// Outcome and Error <-> JSON (schema/outcome.schema.json). Absent optional fields are absent, never null.
#include "json_reader.hpp"

#include <cocoon/json_writer.hpp>
#include <cocoon/outcome.hpp>

#include <array>

namespace cocoon {
namespace {

using json::Reader;
using json::Writer;

constexpr std::array<std::string_view, 11> statuses{"exited",     "signaled",     "timed_out",  "oom_killed",
                                                    "pids_limit", "output_limit", "disk_limit", "cpu_limit",
                                                    "cancelled",  "setup_failed", "planned"};

void read_error(Reader& reader, Error& error) {
  reader.require(reader.read("code", error.code), "code");
  reader.require(reader.read("message", error.message), "message");
  reader.read("where", error.where);
  reader.read("hint", error.hint);
}

void write_error(Writer& writer, const Error& error) {
  writer.begin_object();
  writer.put("code", error.code);
  writer.put("message", error.message);
  writer.put_some("where", error.where);
  writer.put_some("hint", error.hint);
  writer.end_object();
}

void write_outcome(Writer& writer, const Outcome& outcome) {
  writer.begin_object();
  writer.put_some("name", outcome.name);
  writer.put("exit_code", outcome.exit_code);
  writer.put("status", to_string(outcome.status));
  writer.put_some("signal", outcome.signal);
  if (outcome.steps.empty()) {
    writer.put("stdout", outcome.stdout_text);
    writer.put("stderr", outcome.stderr_text);
  }
  writer.key("duration_ms");
  writer.milliseconds(outcome.duration_ms);
  writer.put("wall_ms", json::nearest(outcome.duration_ms));
  writer.key("cpu_ms");
  writer.milliseconds(outcome.cpu_ms);
  writer.put("peak_mem_kib", outcome.peak_mem_kib);
  writer.put("memory_meter", outcome.memory_meter);
  writer.put("timed_out", outcome.status == Status::timed_out);
  writer.put("oom_killed", outcome.status == Status::oom_killed);
  writer.put("stdout_bytes", outcome.stdout_bytes);
  writer.put("stderr_bytes", outcome.stderr_bytes);
  writer.put("stdout_truncated", outcome.stdout_truncated);
  writer.put("stderr_truncated", outcome.stderr_truncated);
  writer.put("driver", outcome.driver);
  writer.key("isolation");
  writer.pairs(outcome.isolation);
  writer.put_some("limits_hit", outcome.limits_hit);
  writer.put_some("planted", outcome.planted);
  if (outcome.error) {
    writer.key("error");
    write_error(writer, *outcome.error);
  }
  if (!outcome.steps.empty()) {
    writer.key("steps");
    writer.begin_list();
    for (const Outcome& step : outcome.steps) write_outcome(writer, step);
    writer.end_list();
  }
  writer.put_some("steps_skipped", outcome.steps_skipped);
  writer.end_object();
}

void read_outcome(Reader& reader, Outcome& outcome) {
  reader.require(reader.read("exit_code", outcome.exit_code), "exit_code");
  reader.require(reader.read("status", outcome.status, statuses), "status");
  reader.read("signal", outcome.signal);
  // What a program prints may hold any character.
  reader.read_bytes("stdout", outcome.stdout_text);
  reader.read_bytes("stderr", outcome.stderr_text);
  reader.read("duration_ms", outcome.duration_ms);
  // These fields repeat what others say, for readers who want it short.
  std::uint64_t wall_ms = 0;
  reader.read("wall_ms", wall_ms);
  reader.read("cpu_ms", outcome.cpu_ms);
  reader.read("peak_mem_kib", outcome.peak_mem_kib);
  reader.read("memory_meter", outcome.memory_meter);
  bool flag = false;
  if (reader.read("timed_out", flag) && flag != (outcome.status == Status::timed_out))
    reader.refuse("timed_out", "contradicts status");
  if (reader.read("oom_killed", flag) && flag != (outcome.status == Status::oom_killed))
    reader.refuse("oom_killed", "contradicts status");
  reader.read("stdout_bytes", outcome.stdout_bytes);
  reader.read("stderr_bytes", outcome.stderr_bytes);
  reader.read("stdout_truncated", outcome.stdout_truncated);
  reader.read("stderr_truncated", outcome.stderr_truncated);
  reader.read("driver", outcome.driver);
  reader.read("isolation", outcome.isolation);
  reader.read("limits_hit", outcome.limits_hit);
  reader.read("planted", outcome.planted);
  reader.read_object("error", [&](Reader& inner) { read_error(inner, outcome.error.emplace()); });
  reader.read("name", outcome.name);
  reader.read_objects("steps", [&](Reader& step) { read_outcome(step, outcome.steps.emplace_back()); });
  reader.read("steps_skipped", outcome.steps_skipped);
}

}  // namespace

std::string_view to_string(Status status) { return statuses[static_cast<std::size_t>(status)]; }

std::string to_json(const Outcome& outcome, int indent) {
  Writer writer(indent);
  write_outcome(writer, outcome);
  return writer.take();
}

Result<Outcome> parse_outcome(std::string_view text) {
  Outcome outcome;
  const auto body = [&](Reader& reader) { read_outcome(reader, outcome); };
  auto read = json::read_document(text, "outcome", body, json::UnknownKeys::ignored);
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return outcome;
}

std::string error_json(const Error& error) {
  Writer writer(-1);
  write_error(writer, error);
  return writer.take();
}

Result<Error> parse_error(std::string_view text) {
  Error error;
  const auto body = [&](Reader& reader) { read_error(reader, error); };
  auto read = json::read_document(text, "error", body, json::UnknownKeys::ignored);
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return error;
}

}  // namespace cocoon
