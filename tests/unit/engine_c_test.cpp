// The embeddable engine's C functions, against the built-in plugins: nothing here needs isolation.
#include <cocoon/engine.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>

#include <string>

namespace {

void append(void* ctx, const char* data, size_t len) { static_cast<std::string*>(ctx)->append(data, len); }
cocoon_sink sink(std::string& text) { return {&text, &append}; }
cocoon_str view(const std::string& text) { return {text.data(), text.size()}; }

class EngineCTest : public testing::Test {
 protected:
  EngineCTest() { engine_ = cocoon_engine_new(nullptr, sink(error_)); }
  ~EngineCTest() override { cocoon_engine_free(engine_); }

  std::string error_;
  cocoon_engine* engine_ = nullptr;
};

TEST_F(EngineCTest, RunsARequest) {
  ASSERT_NE(engine_, nullptr) << error_;
  std::string outcome;
  std::string streamed;
  cocoon_run_io io = {sizeof io, &streamed, nullptr, {-1, -1}, -1, -1, nullptr};
  io.write = [](void* ctx, int32_t, const char* data, size_t len) {
    append(ctx, data, len);
    return len;
  };
  const std::string request = R"({"command": ["true"], "driver": "dryrun"})";
  ASSERT_EQ(cocoon_engine_run(engine_, view(request), &io, sink(outcome)), COCOON_OK) << outcome;
  const auto json = nlohmann::json::parse(outcome);
  EXPECT_EQ(json["status"], "planned");
  EXPECT_EQ(json["stdout"], streamed);
  std::string again;
  EXPECT_EQ(cocoon_engine_run(engine_, view(request), nullptr, sink(again)), COCOON_OK) << again;
}

TEST_F(EngineCTest, PlansWithoutRunning) {
  std::string plan;
  const std::string request = R"({"runtime": "sh", "code": "true", "driver": "dryrun"})";
  ASSERT_EQ(cocoon_engine_plan(engine_, view(request), sink(plan)), COCOON_OK) << plan;
  EXPECT_EQ(nlohmann::json::parse(plan)["stages"].size(), 1U);
}

TEST_F(EngineCTest, BadInputIsSaidAsSuch) {
  for (const std::string request : {"", "{", "[]", "{}", R"({"command": ["true"], "nonsense": 1})",
                                    R"({"command": ["true"], "driver": "nonsense"})"}) {
    std::string error;
    EXPECT_EQ(cocoon_engine_run(engine_, view(request), nullptr, sink(error)), COCOON_BAD_INPUT) << request;
    const auto json = nlohmann::json::parse(error);
    EXPECT_FALSE(json["code"].get<std::string>().empty());
    EXPECT_FALSE(json["message"].get<std::string>().empty());
  }
}

TEST_F(EngineCTest, SaysWhatWorksHere) {
  std::string info;
  ASSERT_EQ(cocoon_engine_info(engine_, sink(info)), COCOON_OK);
  EXPECT_TRUE(nlohmann::json::parse(info).contains("runtimes"));
}

TEST(EngineOptionsCTest, AnOlderCallersOptionsAreUnderstood) {
  cocoon_engine_options options = {};
  options.struct_size = offsetof(cocoon_engine_options, max_timeout_ms);  // as if that were all there was
  options.max_timeout_ms = 1;                                             // beyond what the caller declared
  std::string text;
  cocoon_engine* engine = cocoon_engine_new(&options, sink(text));
  ASSERT_NE(engine, nullptr);
  const std::string request = R"({"command": ["true"], "driver": "dryrun", "timeout": 5})";
  EXPECT_EQ(cocoon_engine_plan(engine, view(request), sink(text)), COCOON_OK) << text;
  cocoon_engine_free(engine);

  options.struct_size = sizeof options;
  engine = cocoon_engine_new(&options, sink(text));
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(cocoon_engine_plan(engine, view(request), sink(text)), COCOON_BAD_INPUT);
  cocoon_engine_free(engine);
}

TEST(EngineOptionsCTest, FoldersOfPluginsAreAdded) {
  const std::string folder = COCOON_BINARY_DIR "/tests/plugins/frozen";
  cocoon_engine_options options = {};
  options.struct_size = sizeof options;
  options.plugin_folders = folder.c_str();
  std::string text;
  cocoon_engine* engine = cocoon_engine_new(&options, sink(text));
  ASSERT_NE(engine, nullptr);
  const std::string request = R"({"command": ["true"], "driver": "frozen"})";
  EXPECT_EQ(cocoon_engine_run(engine, view(request), nullptr, sink(text)), COCOON_OK) << text;
  EXPECT_EQ(nlohmann::json::parse(text)["stdout"], "frozen\n");
  cocoon_engine_free(engine);
}

TEST(EngineCancelCTest, IsReadableOnceSet) {
  cocoon_engine_cancel* cancel = cocoon_engine_cancel_new();
  ASSERT_NE(cancel, nullptr);
  pollfd entry = {cocoon_engine_cancel_fd(cancel), POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 0);
  cocoon_engine_cancel_set(cancel);
  cocoon_engine_cancel_set(cancel);
  EXPECT_EQ(::poll(&entry, 1, 0), 1);
  cocoon_engine_cancel_free(cancel);
  cocoon_engine_cancel_free(nullptr);
  cocoon_engine_free(nullptr);
}

}  // namespace
