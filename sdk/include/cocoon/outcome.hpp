// Outcome: what happened to the guest, as data. Optional fields are absent in JSON, never null.
#pragma once

#include <cocoon/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon {

enum class Status : std::uint8_t {
  exited,        // by itself; exit_code is its own
  signaled,      // by a signal nobody of us sent
  timed_out,     // wall clock
  oom_killed,    // memory of the whole tree
  pids_limit,    // processes and threads
  output_limit,  // bytes written to stdout and stderr
  disk_limit,    // scratch full or a file too large
  cpu_limit,     // CPU time of the whole tree
  cancelled,     // the caller asked for it
  setup_failed,  // the guest was never started; error says why
  planned,       // the dryrun driver: nothing was started, on purpose
};

struct Outcome {
  Status status = Status::setup_failed;
  int exit_code = 125;     // the guest's own, 128+n on signal n, 124 timed out, 125 setup_failed
  int signal = 0;          // 0: absent
  double duration_ms = 0;  // wall clock from the guest's start to its end; wall_ms in JSON is this, rounded
  double cpu_ms = 0;       // user + system of the whole tree
  std::uint64_t peak_mem_kib = 0;
  std::string
      memory_meter;  // what measured peak_mem_kib: "cgroup v2", "cgroup v1", "sampled", "largest process", "at most"
  std::string stdout_text;  // filled in by whoever took the output: drivers leave it empty
  std::string stderr_text;
  std::uint64_t stdout_bytes = 0;  // written by the guest, captured or not
  std::uint64_t stderr_bytes = 0;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::string driver;
  std::vector<std::pair<std::string, std::string>> isolation;  // layer -> what enforced it, or why it is absent
  std::vector<std::string> limits_hit;                         // of "timeout memory pids cpu disk output"
  std::vector<std::string> planted;                            // protected files that the run created in the workspace
  std::optional<Error> error;  // setup_failed, or why the command could not be executed (126, 127)

  // A pipeline: its stages that were run, in order. The fields above tell of the first that failed, or else of the last
  // one, and the figures are those of all together; the texts are with the steps alone.
  std::vector<Outcome> steps;
  std::uint64_t steps_skipped = 0;  // stages that were not run, since an earlier one failed
  std::string name;                 // of a step: the stage's
};

// Did what it was asked to: it ended by itself, with exit code 0.
bool succeeded(const Outcome& outcome);

// What a driver returns for a plan of several stages. steps must not be empty. Pure, thread-safe.
Outcome join_steps(std::vector<Outcome> steps, std::uint64_t skipped);

// One line of JSON. Invalid UTF-8 in the texts becomes U+FFFD. Pure, thread-safe.
std::string to_json(const Outcome& outcome, int indent = -1);
Result<Outcome> parse_outcome(std::string_view json);

// {"code","message","where","hint"}, empty ones left out: what a failed call leaves in its sink. Pure, thread-safe.
std::string error_json(const Error& error);
Result<Error> parse_error(std::string_view json);

std::string_view to_string(Status status);

}  // namespace cocoon
