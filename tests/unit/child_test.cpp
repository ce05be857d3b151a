// Helper programs that the host starts: their output, their end, and that nothing of them stays.
#include "host/os/child.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace cocoon {
namespace {

using std::chrono::milliseconds;

Result<os::ChildOutput> shell(const std::string& script, milliseconds timeout = milliseconds(20'000)) {
  return os::run_child({"/bin/sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}, {"GIVEN", "a b"}}, "/", timeout, 10'000);
}

bool gone(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST(ChildTest, GivesOutputErrorsAndExitCode) {
  const auto output = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->text, "out\n");
  EXPECT_EQ(output->complaint, "err\n");
  EXPECT_EQ(output->exit_code, 3);
}

TEST(ChildTest, StartsInTheFolderWithNothingToRead) {
  const auto output = shell("pwd; cat; echo end");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->text, "/\nend\n");
}

TEST(ChildTest, HasTheGivenEnvironmentAlone) {
  ASSERT_EQ(::setenv("COCOON_TEST_SECRET", "secret", 1), 0);
  const auto output = shell("echo \"$GIVEN\"; /usr/bin/env | grep -c SECRET");
  ASSERT_EQ(::unsetenv("COCOON_TEST_SECRET"), 0);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->text, "a b\n0\n");
}

TEST(ChildTest, ASignalIsAnExitCodeAbove128) {
  const auto output = shell("kill -9 $$");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 137);
}

TEST(ChildTest, WhatDoesNotEndIsKilledWithItsChildren) {
  const TemporaryFolder folder;
  const auto output = shell("sleep 1000 & echo $! > " + folder.at("pid") + "; wait", milliseconds(1000));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, "timed_out");
  pid_t pid = 0;
  ASSERT_TRUE(std::ifstream(folder.at("pid")) >> pid);
  EXPECT_TRUE(gone(pid));
}

TEST(ChildTest, TooMuchOutputEndsIt) {
  const auto output = shell("while :; do echo 0123456789; done");
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, "too_large");
}

TEST(ChildTest, AProgramThatIsNotThereIsAnError) {
  const auto output = os::run_child({"/nowhere/at-all"}, {}, "/", milliseconds(1000), 100);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, "system");
}

}  // namespace
}  // namespace cocoon
