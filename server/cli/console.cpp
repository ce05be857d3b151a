// Messages of the program's own.
#include "cli/console.hpp"

#include "host/os/stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace cocoon::cli {
namespace {

bool output_has_failed = false;  // the command line is one thread

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string duration(double milliseconds) {
  std::array<char, 32> text;
  // What three digits would make 1000 of is said in seconds.
  const bool is_short = milliseconds < 999.5;
  std::snprintf(text.data(), text.size(), is_short ? "%.3g ms" : "%.6g s",
                is_short ? milliseconds : milliseconds / 1000);
  return text.data();
}

}  // namespace

void print(std::string_view text, int cancel_fd) {
  os::OutputStream out(STDOUT_FILENO);
  while (!text.empty()) {
    const std::size_t taken = out.write(text);
    text.remove_prefix(taken);
    out.flush(cancel_fd);
    if (taken == 0) break;  // cancelled while nobody reads
  }
  if (out.error() != 0) output_failed(out.error());
}

void print_error(std::string_view text) { write_all(STDERR_FILENO, text); }

void output_failed(int error) {
  output_has_failed = true;
  print_error("cocoon: standard output: " + std::system_category().message(error) + "\n");
}

int final_exit(int exit_code) { return output_has_failed ? kExitRefused : exit_code; }

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      std::array<char, 8> escape;
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += escape.data();
    } else {
      result += c;
    }
  }
  return result;
}

int report(const Error& error, bool json, int exit_code) {
  std::string line = "cocoon: ";
  if (!error.where.empty()) line.append(printable(error.where)).append(": ");
  line.append(printable(error.message));
  if (!error.hint.empty()) line.append(" (").append(printable(error.hint)).append(")");
  print_error(line + "\n");
  if (json) print("{\"error\":" + error_json(error) + "}\n");
  return exit_code;
}

std::string summary(const Outcome& outcome) {
  const auto stopped = [&outcome](std::string_view why) {
    return "stopped after " + duration(outcome.duration_ms) + ": " + std::string(why);
  };
  std::string line;
  switch (outcome.status) {
    case Status::exited:
    case Status::planned:
      break;
    case Status::signaled:
      line = "ended by signal " + std::to_string(outcome.signal);
      break;
    case Status::timed_out:
      line = stopped("time limit reached (--timeout raises it)");
      break;
    case Status::oom_killed:
      line = stopped("memory limit reached (--mem raises it)");
      break;
    case Status::pids_limit:
      line = stopped("limit of processes reached (--pids raises it)");
      break;
    case Status::output_limit:
      line = stopped("output limit reached (--output-max raises it)");
      break;
    case Status::disk_limit:
      line = stopped("disk limit reached (--disk raises it)");
      break;
    case Status::cpu_limit:
      line = stopped("CPU time limit reached (--cpu-time raises it)");
      break;
    case Status::cancelled:
      line = stopped("cancelled");
      break;
    case Status::setup_failed:
      line = "the sandbox could not be set up";
      break;
  }
  if (outcome.error) {
    line.append(line.empty() ? "" : ": ");
    if (!outcome.error->where.empty()) line.append(printable(outcome.error->where)).append(": ");
    line.append(printable(outcome.error->message));
    if (!outcome.error->hint.empty()) line.append(" (").append(printable(outcome.error->hint)).append(")");
  }
  // A limit that did not end the run made something in it fail all the same.
  if (outcome.status == Status::exited && !outcome.limits_hit.empty()) {
    std::string names;
    for (const std::string& name : outcome.limits_hit) names.append(names.empty() ? "" : ", ").append(printable(name));
    line.append(line.empty() ? "" : "; ").append("limit reached: " + names);
  }
  if (!outcome.planted.empty()) {
    std::string names;
    for (const std::string& name : outcome.planted) names.append(names.empty() ? "" : ", ").append(printable(name));
    line.append(line.empty() ? "" : "; ").append("the run created files that programs obey later: " + names);
  }
  return line;
}

std::string measurements(const Outcome& outcome) {
  return "exit " + std::to_string(outcome.exit_code) + ", " + duration(outcome.duration_ms) + ", CPU " +
         duration(outcome.cpu_ms) + ", peak " + std::to_string(outcome.peak_mem_kib) + " KiB";
}

}  // namespace cocoon::cli
