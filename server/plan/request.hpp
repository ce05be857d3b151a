// Request: what a person or agent asked for; CLI flags, tools/call arguments and cocoon.conf are three spellings of it.
#pragma once

#include <cocoon/plan.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon {

// A bundle's extra mount, "SOURCE:TARGET:ro|rw".
struct ExtraMount {
  std::string source;
  std::string target;
  bool writable = false;

  bool operator==(const ExtraMount&) const = default;
};

// Absent means "not asked for": profiles and defaults fill it in, so an explicit value always wins, whatever the order.
// Paths are as the caller wrote them; Facts say what they are on this host.
struct Request {
  // What to run: exactly one of runtime (with code or file), command, and rootfs (with command).
  std::string runtime;
  std::optional<std::string> code;
  std::string file;
  std::vector<std::string> args;  // after file
  std::vector<std::string> command;
  std::string rootfs;  // host folder that becomes the guest's root (bundle mode)

  std::vector<std::string> ro;
  std::string work;
  std::vector<std::string> copy;
  std::string temp;
  std::vector<std::pair<std::string, std::string>> env;
  std::string cwd;  // inside
  std::string hostname;
  std::vector<ExtraMount> mounts;
  std::optional<bool> readonly;  // bundle mode: the rootfs
  std::optional<Network> net;
  bool stdin_open = false;                // the caller feeds standard input; otherwise it is stdin_text, or empty
  std::optional<std::string> stdin_text;  // request JSON only
  bool allow_protected = false;           // protected files in the work folder may be written

  std::string profile;
  std::string driver;
  std::vector<std::string> require;

  std::optional<std::uint64_t> timeout_ms;
  std::optional<std::uint64_t> memory_kib;
  std::optional<std::uint64_t> pids;
  std::optional<std::uint64_t> cpu_ms;
  std::optional<std::uint64_t> disk_kib;
  std::optional<std::uint64_t> output_bytes;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> file_kib;

  // A pipeline, instead of one thing to run: each step has what is_step_field allows, and takes the rest, and what it
  // leaves open, from here. timeout_ms is then that of all steps together.
  std::vector<Request> steps;
  std::optional<std::uint64_t> step_timeout_ms;  // of each step that has none of its own
  bool keep_going = false;                       // after a step that fails
  std::string name;                              // of a step

  bool operator==(const Request&) const = default;
};

enum class FieldType : std::uint8_t {
  text,
  text_list,
  path,
  path_list,
  pairs,
  duration,
  size,
  count,
  choice,
  flag,
  steps
};

// One row of the table that feeds the CLI flags, the request JSON, the MCP inputSchema and the reference docs.
struct Field {
  std::string_view name;   // key in request JSON, e.g. "memory_max"
  std::string_view alias;  // a second key that is accepted in request JSON, e.g. "mem"; may be empty
  std::string_view flag;   // CLI, e.g. "--mem" or "-c,--code"; empty: not an option there
  FieldType type;
  std::string_view metavar;   // CLI, e.g. "MIB"
  std::string_view unit;      // what a bare number means, e.g. "MiB"
  std::string_view fallback;  // the default, in words
  std::string_view choices;   // choice, and text_list of known words: "none|host"
  std::string_view help;      // one sentence
};

std::span<const Field> request_fields();

// The row of that name or alias; NULL: there is none.
const Field* find_field(std::string_view name);

// Whether a step of a pipeline may have the field of that name.
bool is_step_field(std::string_view name);

// Each step of a pipeline as a request of its own: the pipeline's, with what the step has in place of it. A request that
// is no pipeline is its own only step.
std::vector<Request> step_requests(const Request& pipeline);

// JSON Schema (draft 2020-12) of request JSON, made from the table.
std::string request_schema();

// Sets one field from its text as given on the command line (lists: appends one element). where names the flag in errors.
Result<void> set_field(Request& request, const Field& field, std::string_view value, std::string_view where);

// Request JSON (schema/request.schema.json): the arguments of run_in_sandbox. "command" is an argv array or a string,
// which is run by sh -c.
Result<Request> parse_request(std::string_view json);

// cocoon.conf of the bundle folder `bundle` (rootfs becomes bundle + "/rootfs"). Errors carry "cocoon.conf:LINE".
Result<Request> parse_conf(std::string_view text, std::string_view bundle);

// Fails unless the request names exactly one thing to run, or steps that each do, and its fields fit together. make_plan calls it.
Result<void> check_request(const Request& request);

// "5" (seconds), "500ms", "2m", "1h" -> milliseconds; "128M", "1G", "64K" -> bytes, where a bare number counts bare_unit
// bytes. Fractions are fine where the result is whole ("1.5").
Result<std::uint64_t> parse_duration_ms(std::string_view text, std::string_view where);
Result<std::uint64_t> parse_size(std::string_view text, std::uint64_t bare_unit, std::string_view where);

}  // namespace cocoon
