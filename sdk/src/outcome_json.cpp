// Outcome and Error <-> JSON (schema/outcome.schema.json). Absent optional fields are absent, never null.
#include "json_reader.hpp"

#include <cocoon/outcome.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace cocoon {
namespace {

using json::Reader;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 11> statuses{"exited",     "signaled",     "timed_out",  "oom_killed",
                                                    "pids_limit", "output_limit", "disk_limit", "cpu_limit",
                                                    "cancelled",  "setup_failed", "planned"};

// Microseconds are what the clocks give; more digits would be noise. JSON has no way to write infinity and NaN.
double rounded(double milliseconds) {
  return std::isfinite(milliseconds) && milliseconds > 0 ? std::round(milliseconds * 1000) / 1000 : 0;
}

std::uint64_t whole(double milliseconds) {
  const double value = std::round(rounded(milliseconds));
  return value < 9e15 ? static_cast<std::uint64_t>(value) : 0;
}

void read_error(Reader& reader, Error& error) {
  reader.require(reader.read("code", error.code), "code");
  reader.require(reader.read("message", error.message), "message");
  reader.read("where", error.where);
  reader.read("hint", error.hint);
}

Json write_error(const Error& error) {
  Json json = Json::object();
  json["code"] = error.code;
  json["message"] = error.message;
  if (!error.where.empty()) json["where"] = error.where;
  if (!error.hint.empty()) json["hint"] = error.hint;
  return json;
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string_view to_string(Status status) { return statuses[static_cast<std::size_t>(status)]; }

std::string to_json(const Outcome& outcome, int indent) {
  Json json = Json::object();
  json["exit_code"] = outcome.exit_code;
  json["status"] = to_string(outcome.status);
  if (outcome.signal != 0) json["signal"] = outcome.signal;
  json["stdout"] = outcome.stdout_text;
  json["stderr"] = outcome.stderr_text;
  json["duration_ms"] = rounded(outcome.duration_ms);
  json["wall_ms"] = whole(outcome.duration_ms);
  json["cpu_ms"] = rounded(outcome.cpu_ms);
  json["peak_mem_kib"] = outcome.peak_mem_kib;
  json["memory_meter"] = outcome.memory_meter;
  json["timed_out"] = outcome.status == Status::timed_out;
  json["oom_killed"] = outcome.status == Status::oom_killed;
  json["stdout_bytes"] = outcome.stdout_bytes;
  json["stderr_bytes"] = outcome.stderr_bytes;
  json["stdout_truncated"] = outcome.stdout_truncated;
  json["stderr_truncated"] = outcome.stderr_truncated;
  json["driver"] = outcome.driver;
  Json& isolation = json["isolation"] = Json::object();
  for (const auto& [layer, text] : outcome.isolation) isolation[layer] = text;
  if (!outcome.limits_hit.empty()) json["limits_hit"] = outcome.limits_hit;
  if (!outcome.planted.empty()) json["planted"] = outcome.planted;
  if (outcome.error) json["error"] = write_error(*outcome.error);
  return dump(json, indent);
}

Result<Outcome> parse_outcome(std::string_view text) {
  Outcome outcome;
  auto read = json::read_document(text, "outcome", [&](Reader& reader) {
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
  });
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return outcome;
}

std::string error_json(const Error& error) { return dump(write_error(error), -1); }

Result<Error> parse_error(std::string_view text) {
  Error error;
  auto read = json::read_document(text, "error", [&](Reader& reader) { read_error(reader, error); });
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return error;
}

}  // namespace cocoon
