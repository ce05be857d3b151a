// The engine with a driver that is linked in: what goes to the driver, and what becomes of its output.
#include "host/engine.hpp"

#include "host/driver.hpp"
#include "host/info.hpp"
#include "linked_plugins.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <new>
#include <thread>

#define COCOON_STATIC_PLUGIN cocoon_engine_test_driver
#include <cocoon/plugin.hpp>

namespace cocoon {
namespace {

// As a driver that is newer than the program.
std::int32_t probe(const Host&, std::int32_t, std::string& facts_json) {
  facts_json = R"({"name": "fake", "usable": true, "of_a_later_version": [1]})";
  return 10;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; fd >= 0 && (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

// Plays a guest: "flood N" writes N bytes, "cat" echoes its input, "both" writes to both streams, "refuse" refuses.
Result<Outcome> run(const Host&, const Plan& plan, const cocoon_run_io& io) {
  Outcome outcome;
  outcome.status = Status::exited;
  outcome.exit_code = 0;
  outcome.driver = "fake";
  const auto put = [&](int32_t stream, std::string_view data) {
    (stream == COCOON_STDOUT ? outcome.stdout_bytes : outcome.stderr_bytes) += data.size();
    while (!data.empty() && io.write != nullptr) data.remove_prefix(io.write(io.ctx, stream, data.data(), data.size()));
  };
  const std::vector<std::string>& argv = plan.stages.at(0).argv;
  if (argv.at(0) == "refuse") return fail("on_purpose", "refused", "driver");
  if (argv.at(0) == "cat") put(COCOON_STDOUT, read_all(io.stdin_fd));
  if (argv.at(0) == "both") {
    put(COCOON_STDOUT, "one\n");
    put(COCOON_STDERR, "two\xFF\n");
    put(COCOON_STDOUT, "three\n");
  }
  if (argv.at(0) == "flood") {
    std::uint64_t left = 0;
    std::from_chars(argv.at(1).data(), argv.at(1).data() + argv.at(1).size(), left);
    const std::string piece(65536, 'x');
    for (; left > 0; left -= std::min<std::uint64_t>(left, piece.size())) {
      put(COCOON_STDOUT, std::string_view(piece).substr(0, std::min<std::uint64_t>(left, piece.size())));
    }
  }
  return outcome;
}

}  // namespace
}  // namespace cocoon

COCOON_DRIVER("fake", cocoon::probe, cocoon::run)

namespace cocoon {
namespace {

const cocoon_plugin_entry kLinked[] = {&cocoon_engine_test_driver};

EngineOptions options(Policy policy = {}) { return {{{}, kLinked, false}, policy}; }

Request command(std::vector<std::string> argv) {
  Request request;
  request.command = std::move(argv);
  return request;
}

TEST(EngineTest, OutputBecomesTextOfTheOutcome) {
  Engine engine(options());
  const auto outcome = engine.run(command({"both"}), {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->stdout_text, "one\nthree\n");
  EXPECT_EQ(outcome->stderr_text, "two\xEF\xBF\xBD\n");
  EXPECT_EQ(outcome->stdout_bytes, 10U);
  EXPECT_FALSE(outcome->stdout_truncated);
  EXPECT_EQ(outcome->driver, "fake");
}

struct Watcher {
  std::string seen;
  std::size_t at_most;

  static size_t take(void* ctx, int32_t stream, const char* data, size_t len) {
    Watcher& watcher = *static_cast<Watcher*>(ctx);
    const std::size_t taken = std::min(len, watcher.at_most);
    watcher.seen.append(stream == COCOON_STDERR ? "E" : "O").append(data, taken);
    return taken;
  }
};

TEST(EngineTest, AWatcherDecidesHowMuchIsTakenAndNothingIsCapturedTwice) {
  Engine engine(options());
  Watcher watcher{{}, 3};
  RunOptions run_options;
  run_options.io.ctx = &watcher;
  run_options.io.write = &Watcher::take;
  const auto outcome = engine.run(command({"both"}), run_options);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(watcher.seen, "OoneO\nEtwoE\xFF\nOthrOee\n");
  EXPECT_EQ(outcome->stdout_text, "one\nthree\n");
  run_options.head_bytes = run_options.tail_bytes = 0;
  const auto streamed = engine.run(command({"both"}), run_options);
  ASSERT_TRUE(streamed);
  EXPECT_EQ(streamed->stdout_text, "");
  EXPECT_FALSE(streamed->stdout_truncated);
}

TEST(EngineTest, AWatcherThatThrowsFailsTheRunAndNothingElse) {
  Engine engine(options());
  RunOptions run_options;
  run_options.io.write = [](void*, int32_t, const char*, size_t) -> size_t { throw std::bad_alloc(); };
  const auto outcome = engine.run(command({"both"}), run_options);
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->error);
  EXPECT_EQ(outcome->error->code, "internal");
  EXPECT_NE(outcome->exit_code, 0);
  EXPECT_TRUE(outcome->stdout_truncated);
}

TEST(EngineTest, AnAnswerThatMemoryCannotHoldIsAnError) {
  // No string is that long: the first append throws before it reads anything.
  cocoon_driver driver{};
  driver.name = "huge";
  driver.run = [](const cocoon_host*, cocoon_str, const cocoon_run_io*, cocoon_sink sink) -> cocoon_status {
    sink.write(sink.ctx, "x", std::string::npos / 2);
    sink.write(sink.ctx, "x", 1);
    return COCOON_OK;
  };
  driver.probe = [](const cocoon_host*, int32_t, cocoon_sink sink) -> int32_t {
    sink.write(sink.ctx, "x", std::string::npos / 2);
    return 1;
  };
  const auto outcome = run_driver(driver, "{}", RunOptions{}.io);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "internal");
  const auto facts = probe_driver(driver, COCOON_PROBE_QUICK);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, "internal");
}

TEST(EngineTest, AGibibyteOfOutputNeedsLittleMemory) {
  Engine engine(options());
  ASSERT_TRUE(engine.run(command({"flood", "1000"}), {}));
  struct rusage before;
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &before), 0);
  const auto outcome = engine.run(command({"flood", std::to_string(std::uint64_t{1} << 30)}), {});
  struct rusage after;
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &after), 0);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->stdout_bytes, std::uint64_t{1} << 30);
  EXPECT_TRUE(outcome->stdout_truncated);
  EXPECT_LT(outcome->stdout_text.size(), std::size_t{1025 * 1024});
  EXPECT_NE(outcome->stdout_text.find("\n... [1072693248 bytes cut] ...\n"), std::string::npos);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 * 1024);  // KiB
}

TEST(EngineTest, StandardInputMayBePartOfTheRequest) {
  Engine engine(options());
  Request request = command({"cat"});
  request.stdin_text = "line\nno newline at the end";
  const auto outcome = engine.run(request, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->stdout_text, "line\nno newline at the end");
  const auto empty = engine.run(command({"cat"}), {});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->stdout_text, "");
}

TEST(EngineTest, TheOperatorsPolicyHoldsForEveryRequest) {
  Policy policy;
  policy.max_timeout_ms = 1000;
  Engine engine(options(policy));
  Request request = command({"both"});
  request.timeout_ms = 2000;
  const auto outcome = engine.run(request, {});
  ASSERT_FALSE(outcome);
  const auto planned = engine.plan(command({"both"}));
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_EQ(planned->plan.stages.at(0).limits.timeout_ms, 1000U);
}

TEST(EngineTest, WhatADriverRefusesIsAnErrorWithItsWords) {
  Engine engine(options());
  const auto outcome = engine.run(command({"refuse"}), {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), (Error{"on_purpose", "refused", "driver", {}}));
}

TEST(EngineTest, WithoutADriverNothingRuns) {
  Engine engine({{{}, {}, false}, {}});
  const auto outcome = engine.run(command({"both"}), {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "no_driver");
}

TEST(EngineTest, ADriverOfScoreZeroIsUsedOnDemandOnly) {
  Engine engine({{{}, {}, true}, {}});
  Request request = command({"true"});
  request.driver = "dryrun";
  const auto outcome = engine.run(request, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->status, Status::planned);
  const auto plan = parse_plan(outcome->stdout_text);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->stages.at(0).argv, std::vector<std::string>{"true"});
}

TEST(EngineTest, TheRulesSayWhichDriversMayBeUsed) {
  Request request = command({"true"});
  Engine only({{{}, kLinked, true}, {}, {{"dryrun"}, {}}});
  const auto planned = only.run(request, {});
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_EQ(planned->status, Status::planned) << "the one that is named is chosen";
  request.driver = "fake";
  EXPECT_EQ(only.run(request, {}).error().code, "policy");
  Engine both({{{}, kLinked, true}, {}, {{"dryrun", "fake"}, {}}});
  request.driver.clear();
  EXPECT_EQ(both.plan(request)->plan.driver, "fake") << "the strongest of them";
  request.driver = "dryrun";
  EXPECT_EQ(both.plan(request)->plan.driver, "dryrun");
  Plugins plugins({{}, kLinked, true});
  EXPECT_EQ(gather_info(plugins, COCOON_PROBE_QUICK, {{"dryrun"}, {}}).driver, "dryrun");
  EXPECT_EQ(gather_info(plugins, COCOON_PROBE_QUICK, {{"dryrun", "fake"}, {}}).driver, "fake");
}

TEST(EngineTest, WhoeverAllowsIsAskedBeforeAnythingIsToldAboutPaths) {
  Engine engine(options());
  Request request = command({"true"});
  request.ro = {"/no/such/place"};
  EXPECT_EQ(engine.plan(request).error().code, "path_missing");
  const auto no = [](const Facts& facts) -> Result<void> { return fail("no", facts.path("/no/such/place")->absolute); };
  EXPECT_EQ(engine.plan(request, no).error().message, "/no/such/place");
}

TEST(EngineTest, ManyThreadsShareOneEngine) {
  Engine engine({{{COCOON_BINARY_DIR "/tests/plugins/good"}, kLinked, false}, {}});
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&engine, &good, i] {
      for (int n = 0; n < 20; ++n) {
        Request request = command({"flood", "100000"});
        if ((i + n) % 3 == 0) request = command({"both"});
        const auto outcome = engine.run(request, {});
        const auto runtime = engine.plugins().runtime(n % 2 == 0 ? "fixture" : "fix");
        if (outcome && runtime && outcome->stdout_bytes >= 10) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

TEST(InfoTest, NamesDriversAndWhyARuntimeIsMissing) {
  Plugins plugins({{}, kLinked, false});
  const Info info = gather_info(plugins, COCOON_PROBE_QUICK);
  EXPECT_EQ(info.driver, "fake");
  ASSERT_EQ(info.drivers.size(), 1U);
  EXPECT_EQ(info.drivers[0].facts.score, 10);
  EXPECT_NE(to_json(info).find(R"("driver":"fake")"), std::string::npos);
}

}  // namespace
}  // namespace cocoon
