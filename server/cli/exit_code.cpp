// From an Outcome to a process's exit code.
#include "cli/exit_code.hpp"

#include "host/os/signals.hpp"

namespace cocoon::cli {
namespace {

constexpr int kSignalExit = 128;
constexpr int kBrokenPipe = 13;
constexpr int kKilled = 9;

}  // namespace

int exit_code(const Outcome& outcome, bool reader_gone) {
  if (outcome.status != Status::cancelled) {
    // A guest that was ended, or never began, has not succeeded, whatever its driver says.
    const bool ended = outcome.status == Status::exited || outcome.status == Status::planned;
    return ended || outcome.exit_code != 0 ? outcome.exit_code : kSignalExit + kKilled;
  }
  // As if the signal, or the missing reader, had ended us as it would have ended the command itself.
  return kSignalExit + (reader_gone ? kBrokenPipe : os::cancelled_by());
}

}  // namespace cocoon::cli
