// The exit code that the command line gives to a finished run.
#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

namespace cocoon::cli {
namespace {

int code_of(Status status, int guest_code) {
  Outcome outcome;
  outcome.status = status;
  outcome.exit_code = guest_code;
  return exit_code(outcome, false);
}

TEST(ExitCodeTest, IsTheGuestsOwn) {
  EXPECT_EQ(code_of(Status::exited, 0), 0);
  EXPECT_EQ(code_of(Status::exited, 7), 7);
  EXPECT_EQ(code_of(Status::planned, 0), 0);
  EXPECT_EQ(code_of(Status::timed_out, 124), 124);
}

TEST(ExitCodeTest, IsNeverSuccessForAGuestThatWasEnded) {
  for (const Status status : {Status::signaled, Status::timed_out, Status::oom_killed, Status::pids_limit,
                              Status::output_limit, Status::disk_limit, Status::cpu_limit, Status::setup_failed}) {
    EXPECT_EQ(code_of(status, 0), 137);
  }
}

}  // namespace
}  // namespace cocoon::cli
