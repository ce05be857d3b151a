// The linux driver from the inside: each prepared step made to fail, limits, staging, and what is left behind.
#if defined(__linux__)
#include "cgroup.hpp"
#include "copies.hpp"
#include "probe.hpp"
#include "run.hpp"
#include "stages.hpp"
#include "support/leftovers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace cocoon::linux_driver {
namespace {

Mount make(MountKind kind, std::string target, std::string source = {}) {
  Mount mount;
  mount.kind = kind;
  mount.target = std::move(target);
  mount.source = std::move(source);
  return mount;
}

// A sandbox that has every layer, around a shell command.
Stage shell(const std::string& command) {
  Stage stage;
  stage.name = "sh";
  stage.argv = {"sh", "-c", command};
  stage.env = {{"PATH", "/usr/bin:/bin"}};
  stage.cwd = "/tmp";
  stage.namespaces = {"user", "mount", "pid", "net", "ipc", "uts", "cgroup"};
  stage.identity = {::geteuid(), ::getegid(), ::geteuid(), ::getegid()};
  stage.hostname = "cocoon";
  for (const char* tree : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code error;
    if (std::filesystem::is_symlink(tree, error))
      stage.mounts.push_back(make(MountKind::symlink, tree, std::filesystem::read_symlink(tree, error)));
    else if (std::filesystem::is_directory(tree, error))
      stage.mounts.push_back(make(MountKind::bind, tree, tree));
  }
  stage.mounts.push_back(make(MountKind::proc, "/proc"));
  Mount mask = make(MountKind::mask, "/proc/kcore");
  mask.optional = true;
  stage.mounts.push_back(mask);
  stage.mounts.push_back(make(MountKind::remount_ro, "/proc/sys"));
  Mount null = make(MountKind::bind, "/dev/null", "/dev/null");
  null.device = null.writable = true;
  stage.mounts.push_back(null);
  Mount scratch = make(MountKind::tmpfs, "/tmp");
  scratch.writable = true;
  scratch.mode = 01777;
  scratch.size_kib = 16384;
  scratch.inodes = 1000;
  stage.mounts.push_back(scratch);
  stage.landlock_abi = [] {
    const long abi = ::syscall(444 /* landlock_create_ruleset */, nullptr, 0, 1);
    return abi > 0 ? static_cast<std::uint32_t>(abi) : 0U;
  }();
  stage.landlock_writable = {"/tmp", "/dev"};
  stage.seccomp = "default";
  stage.limits.timeout_ms = 10'000;
  stage.limits.pids = 64;
  stage.limits.pids_by = ::geteuid() == 0 ? Enforcer::supervisor : Enforcer::rlimit;
  stage.limits.memory_kib = 262'144;
  stage.limits.memory_by = Enforcer::supervisor;
  return stage;
}

struct Io : cocoon_run_io {
  std::string text[2];
  Io() : cocoon_run_io{} {
    struct_size = sizeof(cocoon_run_io);
    ctx = this;
    busy_fd[0] = busy_fd[1] = stdin_fd = cancel_fd = -1;
    write = [](void* self, std::int32_t stream, const char* data, std::size_t len) {
      static_cast<Io*>(self)->text[stream - 1].append(data, len);
      return len;
    };
  }
};

std::string why(const Outcome& outcome) {
  return std::string(to_string(outcome.status)) + (outcome.error ? ": " + outcome.error->message : "");
}

class LinuxDriver : public testing::Test {
 protected:
  void SetUp() override {
    Io io;
    const Outcome outcome = run_stage(shell("exit 0"), io);
    if (outcome.status == Status::exited) return;
    if (std::getenv("COCOON_MUST_WORK")) FAIL() << why(outcome);
    GTEST_SKIP() << "no sandbox on this host: " << why(outcome);
  }
  void TearDown() override { EXPECT_EQ(before_.difference(), ""); }

 private:
  test::Leftovers before_;
};

TEST_F(LinuxDriver, RunsACommandAndReportsItsExitCodeAndOutput) {
  Io io;
  const Outcome outcome = run_stage(shell("echo out; echo err >&2; exit 7"), io);
  EXPECT_EQ(outcome.status, Status::exited) << why(outcome);
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(io.text[0], "out\n");
  EXPECT_EQ(io.text[1], "err\n");
  EXPECT_GT(outcome.peak_mem_kib, 0U);
  EXPECT_GT(outcome.duration_ms, 0);
}

TEST_F(LinuxDriver, TheBackstopOfMemoryFollowsTheLimitWithRoomForThreads) {
  for (const auto& [limit_mib, backstop_mib] :
       {std::pair{64U, 80U + 64U + 4U * 64U}, std::pair{1024U, 1280U + 64U + 512U}}) {
    Io io;
    Stage stage = shell("ulimit -d");
    stage.limits.memory_kib = limit_mib * 1024;
    stage.limits.memory_rlimit = true;
    const Outcome outcome = run_stage(stage, io);
    EXPECT_EQ(outcome.status, Status::exited) << why(outcome);
    EXPECT_EQ(io.text[0], std::to_string(backstop_mib * 1024) + "\n");
  }
}

TEST_F(LinuxDriver, EveryStepThatFailsIsNamedAndLeavesNothing) {
  std::size_t count = 0;
  {
    Io io;
    run_stage(shell("exit 0"), io, [&](Steps& steps) { count = steps.list().size(); });
  }
  ASSERT_GT(count, 50U);
  for (std::size_t broken = 0; broken < count; ++broken) {
    std::string name;
    Io io;
    const Outcome outcome = run_stage(shell("echo it ran"), io, [&](Steps& steps) {
      Step& step = steps.list()[broken];
      name = step.name;
      step.number = 100'000;  // no such call
      step.tolerated = {};
    });
    EXPECT_EQ(outcome.status, Status::setup_failed) << broken << " " << name;
    ASSERT_TRUE(outcome.error) << broken << " " << name;
    EXPECT_NE(outcome.error->message.find(name), std::string::npos) << outcome.error->message;
    EXPECT_NE(outcome.error->message.find("Function not implemented"), std::string::npos) << outcome.error->message;
    EXPECT_EQ(outcome.exit_code, 125);
    EXPECT_EQ(io.text[0], "") << "the guest ran although step '" << name << "' failed";
  }
}

TEST_F(LinuxDriver, ManyThreadsRunSandboxesAtOnce) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        Io io;
        const Outcome outcome = run_stage(shell("exit " + std::to_string(t)), io);
        if (outcome.status == Status::exited && outcome.exit_code == t)
          ++good;
        else
          ADD_FAILURE() << why(outcome) << ", exit code " << outcome.exit_code << " instead of " << t;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 40);
}

TEST_F(LinuxDriver, CancellationEndsTheRun) {
  Io io;
  io.cancel_fd = ::eventfd(0, EFD_CLOEXEC);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(io.cancel_fd, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  });
  const Outcome outcome = run_stage(shell("sleep 60"), io);
  canceller.join();
  ::close(io.cancel_fd);
  EXPECT_EQ(outcome.status, Status::cancelled) << why(outcome);
  EXPECT_LT(outcome.duration_ms, 10'000);
}

TEST_F(LinuxDriver, ASinkThatTakesNothingDoesNotHoldUpTheDeadline) {
  Io io;
  io.write = [](void*, std::int32_t, const char*, std::size_t) { return std::size_t{0}; };
  Stage stage = shell("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done");
  stage.limits.timeout_ms = 300;
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run_stage(stage, io);
  EXPECT_EQ(outcome.status, Status::timed_out) << why(outcome);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(LinuxDriver, StandardInputReachesTheGuestAndEnds) {
  Io io;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  std::thread writer([&] {
    const std::string text(300'000, 'x');
    for (std::size_t done = 0; done < text.size();)
      done += static_cast<std::size_t>(std::max<ssize_t>(0, ::write(ends[1], text.data() + done, text.size() - done)));
    ::close(ends[1]);
  });
  io.stdin_fd = ends[0];
  Stage stage = shell("wc -c");
  stage.stdin_open = true;
  const Outcome outcome = run_stage(stage, io);
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(outcome.status, Status::exited) << why(outcome);
  EXPECT_EQ(io.text[0], "300000\n");
}

TEST_F(LinuxDriver, WithoutDescriptorsARunIsRefusedOrWatchedButNeverUnwatched) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  for (rlim_t most = 8; most < 48; ++most) {
    const rlimit few{most, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    Io io;
    const Outcome outcome = run_stage(shell("exit 3"), io);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    if (outcome.status == Status::exited) {
      EXPECT_EQ(outcome.exit_code, 3) << most;
      continue;
    }
    EXPECT_EQ(outcome.status, Status::setup_failed) << most << " " << why(outcome);
    ASSERT_TRUE(outcome.error) << most;
    EXPECT_NE(outcome.error->hint, "") << most << " " << outcome.error->message;
  }
}

TEST_F(LinuxDriver, AHostThatIgnoresSigchldGetsNoMadeUpExitCode) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  Io io;
  const Outcome with_init = run_stage(shell("exit 7"), io);
  Stage payload_is_pid1 = shell("exit 7");
  payload_is_pid1.init = false;
  const Outcome without = run_stage(payload_is_pid1, io);
  std::signal(SIGCHLD, before);
  EXPECT_EQ(with_init.exit_code, 7) << why(with_init);
  EXPECT_EQ(without.status, Status::setup_failed);
  ASSERT_TRUE(without.error);
  EXPECT_EQ(without.error->code, "status_lost");
}

Plan plan_of(std::vector<Stage> stages) {
  Plan plan;
  plan.driver = "linux";
  plan.stages = std::move(stages);
  for (Stage& stage : plan.stages)
    for (Mount& mount : stage.mounts) mount.shared = mount.target == "/tmp";
  return plan;
}

TEST_F(LinuxDriver, StagesShareTheScratchThatIsMarkedSoAndNothingOfItIsLeft) {
  Io io;
  const Outcome outcome = run_stages(plan_of({shell("echo kept > /tmp/a"), shell("cat /tmp/a; echo b > /tmp/b"),
                                              shell("cat /tmp/a /tmp/b"), shell("exit 4"), shell("echo never")}),
                                     io);
  EXPECT_EQ(outcome.exit_code, 4) << why(outcome);
  EXPECT_EQ(outcome.steps.size(), 4U);
  EXPECT_EQ(outcome.steps_skipped, 1U);
  EXPECT_EQ(io.text[0], "kept\nkept\nb\n");
}

TEST_F(LinuxDriver, TheWatcherHearsOfEachStage) {
  Io io;
  static std::string heard;
  heard.clear();
  io.step = [](void*, std::uint32_t index, cocoon_str outcome) {
    heard += std::to_string(index) + (outcome.len == 0 ? "+" : "-");
  };
  run_stages(plan_of({shell("exit 0"), shell("exit 0")}), io);
  EXPECT_EQ(heard, "0+0-1+1-");
  io.struct_size = offsetof(cocoon_run_io, step);  // a host that was built before there were stages
  heard.clear();
  EXPECT_EQ(run_stages(plan_of({shell("exit 0"), shell("exit 0")}), io).exit_code, 0);
  EXPECT_EQ(heard, "");
}

TEST_F(LinuxDriver, AStageThatCannotBeSetUpIsTheLastEvenIfItShouldGoOn) {
  Io io;
  Plan plan = plan_of({shell("exit 1"), shell("exit 0"), shell("echo never")});
  plan.keep_going = true;
  plan.stages[1].cwd = "/no/such/folder";
  const Outcome outcome = run_stages(plan, io);
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(outcome.steps.size(), 2U);
  EXPECT_EQ(outcome.steps[1].status, Status::setup_failed);
  EXPECT_EQ(io.text[0], "");
}

TEST_F(LinuxDriver, AWritableTmpfsWithoutASizeIsRefused) {
  Stage stage = shell("exit 0");
  for (Mount& mount : stage.mounts)
    if (mount.kind == MountKind::tmpfs) mount.size_kib = 0;
  Io io;
  const Outcome outcome = run_stage(stage, io);
  EXPECT_EQ(outcome.status, Status::setup_failed);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, "bad_plan");
}

TEST_F(LinuxDriver, APayloadThatIsPid1AndCatchesTheSignalStillMeetsTheCpuLimit) {
  Stage stage = shell("trap '' XCPU; while :; do :; done");
  stage.init = false;
  stage.limits.cpu_ms = 300;
  Io io;
  const Outcome outcome = run_stage(stage, io);
  EXPECT_EQ(outcome.status, Status::cpu_limit) << why(outcome);
}

TEST_F(LinuxDriver, StagingStopsWhenTheRunIsCancelled) {
  const test::TempFolder folder;
  std::ofstream(folder.path() + "/file") << "content";
  Stage stage = shell("exit 0");
  Mount work = make(MountKind::tmpfs, "/work");
  work.writable = true;
  work.size_kib = 1024;
  stage.mounts.push_back(work);
  stage.workspace = "/work";
  stage.copies = {{folder.path() + "/file", "file"}};
  Io io;
  io.cancel_fd = ::eventfd(1, EFD_CLOEXEC);  // cancelled before it began
  const Outcome outcome = run_stage(stage, io);
  ::close(io.cancel_fd);
  EXPECT_NE(outcome.status, Status::exited);
  EXPECT_EQ(io.text[0], "");
}

TEST_F(LinuxDriver, APlanForAnotherUserIsRefused) {
  Stage stage = shell("exit 0");
  stage.identity.uid_outside += 1;
  Io io;
  const Outcome outcome = run_stage(stage, io);
  EXPECT_EQ(outcome.status, Status::setup_failed);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, "bad_plan");
}

TEST_F(LinuxDriver, AMountPointBehindALinkInAWritableFolderIsRefused) {
  const test::TempFolder folder;
  const std::string work = folder.path() + "/work", other = folder.path() + "/other";
  std::filesystem::create_directory(work);
  std::filesystem::create_directory(other);
  std::filesystem::create_symlink(other, work + "/link");
  Stage stage = shell("exit 0");
  Mount bind = make(MountKind::bind, work, work);
  bind.writable = true;
  stage.mounts.push_back(bind);
  stage.mounts.push_back(make(MountKind::bind, work + "/link", other));
  Io io;
  const Outcome outcome = run_stage(stage, io);
  EXPECT_EQ(outcome.status, Status::setup_failed);
  ASSERT_TRUE(outcome.error);
  EXPECT_NE(outcome.error->hint.find("link"), std::string::npos) << outcome.error->message;
}

TEST(LinuxDriverCopies, LinksStayLinksAndNothingIsWrittenThroughOne) {
  const test::TempFolder folder;
  namespace fs = std::filesystem;
  const std::string source = folder.path() + "/source", work = folder.path() + "/work",
                    secret = folder.path() + "/secret";
  fs::create_directories(source + "/deep");
  fs::create_directory(work);
  std::ofstream(secret) << "secret";
  std::ofstream(source + "/file") << "content";
  std::ofstream(source + "/deep/inner") << "inner";
  fs::permissions(source + "/deep/inner", fs::perms(0640) | fs::perms::set_uid);
  fs::create_symlink(secret, source + "/link");
  fs::create_symlink("file", source + "/relative");
  fs::create_symlink(secret, work + "/planted");  // where the copy of a file named "planted" goes
  std::ofstream(folder.path() + "/planted") << "overwritten?";
  ASSERT_EQ(::mkfifo((source + "/pipe").c_str(), 0600), 0);

  const int target = ::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto never = [] { return false; };
  auto copied = copy_into({source, "source"}, target, never);
  EXPECT_TRUE(copied) << copied.error().message;
  copied = copy_into({folder.path() + "/planted", "planted"}, target, never);
  EXPECT_TRUE(copied) << copied.error().message;
  EXPECT_FALSE(copy_into({source + "/link", "x"}, target, never)) << "a link on the way to the source was followed";
  ::close(target);

  const auto read = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(read(work + "/source/file"), "content");
  EXPECT_EQ(read(work + "/source/deep/inner"), "inner");
  EXPECT_EQ(fs::status(work + "/source/deep/inner").permissions(), fs::perms(0640));
  EXPECT_TRUE(fs::is_symlink(work + "/source/link"));
  EXPECT_EQ(fs::read_symlink(work + "/source/relative"), "file");
  EXPECT_FALSE(fs::exists(fs::symlink_status(work + "/source/pipe")));
  EXPECT_EQ(read(secret), "secret");
  EXPECT_EQ(read(work + "/planted"), "overwritten?");
}

TEST(LinuxDriverProbe, QuickAndThoroughAgreeOnWhatTheyBothKnow) {
  const Probe quick = probe(false);
  EXPECT_NE(quick.facts_json.find("\"name\":\"linux\""), std::string::npos);
  EXPECT_NE(quick.facts_json.find("\"/usr\""), std::string::npos);
  const Probe thorough = probe(true);
  EXPECT_GE(quick.score, thorough.score) << "trying found what looking did not";
}

}  // namespace
}  // namespace cocoon::linux_driver
#endif
