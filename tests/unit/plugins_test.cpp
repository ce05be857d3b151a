// The plugin loader: what it loads, and every reason it has to refuse.
#include "host/plugins.hpp"

#include "host/driver.hpp"
#include "linked_plugins.h"
#include "support/must_work.hpp"
#include "support/temporary_folder.hpp"

#include <cocoon/plan.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cocoon {
namespace {

const std::string kPlugins = COCOON_BINARY_DIR "/tests/plugins/";

class PluginsTest : public testing::Test {
 protected:
  // Puts the fixture into the folder that the loader is given, under a name of choice.
  void add(const std::string& fixture, const std::string& file = "fixture.so", const std::string& from = "fixture.so") {
    folder_.copy_in(kPlugins + fixture + "/" + from, file);
  }

  PluginOptions options() const { return {{folder_.path()}, {}, false}; }

  Error only_refusal() {
    Plugins plugins(options());
    EXPECT_TRUE(plugins.runtimes().empty());
    EXPECT_TRUE(plugins.drivers().empty());
    const std::vector<RefusedPlugin> refused = plugins.refused();
    if (refused.size() != 1) {
      ADD_FAILURE() << refused.size() << " refusals";
      return {};
    }
    return refused[0].error;
  }

  TemporaryFolder folder_;
};

TEST_F(PluginsTest, LoadsARuntimeByNameAndByAlias) {
  add("good");
  Plugins plugins(options());
  const auto by_name = plugins.runtime("fixture");
  ASSERT_TRUE(by_name) << by_name.error().message;
  EXPECT_EQ((*by_name)->preset.find, std::vector<std::string>{"sh"});
  EXPECT_EQ((*by_name)->path, folder_.path() + "/fixture.so");
  const auto by_alias = plugins.runtime("fix");
  ASSERT_TRUE(by_alias) << by_alias.error().message;
  EXPECT_EQ(*by_alias, *by_name);
  EXPECT_TRUE(plugins.refused().empty());
}

TEST_F(PluginsTest, OneNameDoesNotLoadTheOthers) {
  add("good");
  add("null_table", "other.so");
  Plugins plugins(options());
  ASSERT_TRUE(plugins.runtime("fixture"));
  EXPECT_TRUE(plugins.refused().empty());
  EXPECT_EQ(plugins.runtimes().size(), 1U);
  EXPECT_EQ(plugins.refused().size(), 1U);
}

TEST_F(PluginsTest, FindsPluginsInTheFoldersOfTheirKind) {
  folder_.make("runtimes");
  add("good", "runtimes/fixture.so");
  folder_.make("drivers");
  folder_.copy_in(kPlugins + "frozen/frozen.so", "drivers/frozen.so");
  Plugins plugins(options());
  EXPECT_TRUE(plugins.runtime("fixture"));
  EXPECT_TRUE(plugins.driver("frozen"));
  EXPECT_TRUE(plugins.refused().empty());
}

TEST_F(PluginsTest, ARuntimeInTheFolderOfDriversIsRefused) {
  folder_.make("drivers");
  add("good", "drivers/fixture.so");
  Plugins plugins(options());
  EXPECT_TRUE(plugins.drivers().empty());
  ASSERT_EQ(plugins.refused().size(), 1U);
  EXPECT_EQ(plugins.refused()[0].error.code, "plugin_broken");
}

TEST_F(PluginsTest, ALaterVersionsFieldsAreNoReasonToRefuse) {
  add("longer");
  Plugins plugins(options());
  EXPECT_TRUE(plugins.runtime("fixture"));
}

TEST_F(PluginsTest, ThePluginOfTheFirstHeaderStillRuns) {
  folder_.copy_in(kPlugins + "frozen/frozen.so", "frozen.so");
  Plugins plugins(options());
  const auto plugin = plugins.driver("frozen");
  ASSERT_TRUE(plugin) << plugin.error().message;
  const auto facts = probe_driver(*(*plugin)->driver, COCOON_PROBE_QUICK);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(facts->usable);
  std::string shown;
  cocoon_run_io io = {sizeof io, &shown, nullptr, {-1, -1}, -1, -1, nullptr};
  io.write = [](void* ctx, int32_t, const char* data, size_t len) {
    static_cast<std::string*>(ctx)->append(data, len);
    return len;
  };
  const auto outcome = run_driver(*(*plugin)->driver, "{}", io);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->status, Status::planned);
  EXPECT_EQ(outcome->stdout_bytes, 7U);
  EXPECT_EQ(shown, "frozen\n");
  EXPECT_FALSE(run_driver(*(*plugin)->driver, "", io));
}

struct Broken {
  const char* fixture;
  const char* code;
  const char* says;
};

class BrokenPluginsTest : public PluginsTest, public testing::WithParamInterface<Broken> {};

TEST_P(BrokenPluginsTest, IsRefusedWithItsReason) {
  add(GetParam().fixture);
  const Error error = only_refusal();
  EXPECT_EQ(error.code, GetParam().code);
  EXPECT_NE(error.message.find(GetParam().says), std::string::npos) << error.message;
  Plugins plugins(options());
  const auto runtime = plugins.runtime("fixture");
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error(), error);
}

INSTANTIATE_TEST_SUITE_P(
    Every, BrokenPluginsTest,
    testing::Values(Broken{"null_table", "plugin_broken", "NULL"}, Broken{"short", "plugin_broken", "shorter"},
                    Broken{"short_inner", "plugin_broken", "shorter"}, Broken{"both", "plugin_broken", "either"},
                    Broken{"neither", "plugin_broken", "either"}, Broken{"bad_preset", "plugin_broken", "preset"},
                    Broken{"bad_name", "plugin_broken", "no proper name"},
                    Broken{"no_run", "plugin_broken", "probe and run"}, Broken{"other_name", "plugin_name", "another"},
                    Broken{"no_entry", "plugin_broken", "cocoon_plugin_v1"}),
    [](const auto& broken) { return std::string(broken.param.fixture); });

TEST_F(PluginsTest, FileNameAndDeclaredNameMustAgree) {
  add("good", "renamed.so");
  const Error error = only_refusal();
  EXPECT_EQ(error.code, "plugin_name");
  EXPECT_NE(error.message.find("renamed"), std::string::npos);
  EXPECT_NE(error.message.find("fixture"), std::string::npos);
}

TEST_F(PluginsTest, AFileWithoutAPluginsNameIsRefused) {
  add("good", "Fix ture.so");
  EXPECT_EQ(only_refusal().code, "plugin_name");
}

TEST_F(PluginsTest, SomethingElseThanASharedObjectIsRefused) {
  folder_.write("fixture.so", "not a shared object");
  EXPECT_EQ(only_refusal().code, "plugin_broken");
}

TEST_F(PluginsTest, ANameTakenTwiceNamesBothAndTheRestGoOn) {
  add("good");
  folder_.make("runtimes");
  add("longer", "runtimes/fixture.so");
  folder_.copy_in(kPlugins + "frozen/frozen.so", "frozen.so");
  Plugins plugins(options());
  const auto runtime = plugins.runtime("fixture");
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().code, "plugin_duplicate");
  EXPECT_NE(runtime.error().message.find(folder_.path() + "/fixture.so"), std::string::npos);
  EXPECT_NE(runtime.error().message.find(folder_.path() + "/runtimes/fixture.so"), std::string::npos);
  EXPECT_TRUE(plugins.runtimes().empty());
  EXPECT_TRUE(plugins.driver("frozen"));
}

TEST_F(PluginsTest, OneFolderGivenTwiceIsOneFolder) {
  add("good");
  Plugins plugins({{folder_.path(), folder_.path() + "/."}, {}, false});
  EXPECT_TRUE(plugins.runtime("fixture"));
  EXPECT_TRUE(plugins.refused().empty());
}

TEST_F(PluginsTest, ARelativeFolderIsRefused) {
  Plugins plugins({{"plugins"}, {}, false});
  EXPECT_TRUE(plugins.runtimes().empty());
  ASSERT_EQ(plugins.refused().size(), 1U);
  EXPECT_EQ(plugins.refused()[0].error.code, "plugin_untrusted");
}

TEST_F(PluginsTest, AMissingFolderIsReported) {
  Plugins plugins({{folder_.path() + "/none"}, {}, false});
  EXPECT_TRUE(plugins.runtimes().empty());
  ASSERT_EQ(plugins.refused().size(), 1U);
  EXPECT_EQ(plugins.refused()[0].error.code, "plugin_missing");
}

TEST_F(PluginsTest, AFileThatOthersCanWriteToIsRefused) {
  add("good");
  ASSERT_EQ(::chmod((folder_.path() + "/fixture.so").c_str(), 0646), 0);
  EXPECT_EQ(only_refusal().code, "plugin_untrusted");
}

TEST_F(PluginsTest, AFolderThatOthersCanWriteToIsRefused) {
  add("good");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0757), 0);
  EXPECT_EQ(only_refusal().code, "plugin_untrusted");
}

TEST_F(PluginsTest, AFolderInAFolderThatOthersCanWriteToIsRefused) {
  folder_.make("inner");
  add("good", "inner/fixture.so");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  Plugins plugins({{folder_.path() + "/inner"}, {}, false});
  EXPECT_TRUE(plugins.runtimes().empty());
  ASSERT_EQ(plugins.refused().size(), 1U);
  EXPECT_EQ(plugins.refused()[0].error.code, "plugin_untrusted");
  EXPECT_EQ(plugins.refused()[0].error.where, folder_.path());
}

TEST_F(PluginsTest, AStickyParentIsFine) {
  folder_.make("inner");
  add("good", "inner/fixture.so");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 01777), 0);
  Plugins plugins({{folder_.path() + "/inner"}, {}, false});
  EXPECT_TRUE(plugins.runtime("fixture"));
}

TEST_F(PluginsTest, ALinkIsJudgedByWhatItLeadsTo) {
  TemporaryFolder elsewhere;
  elsewhere.copy_in(kPlugins + "good/fixture.so", "fixture.so");
  ASSERT_EQ(::symlink((elsewhere.path() + "/fixture.so").c_str(), (folder_.path() + "/fixture.so").c_str()), 0);
  EXPECT_TRUE(Plugins(options()).runtime("fixture"));
  ASSERT_EQ(::chmod(elsewhere.path().c_str(), 0777), 0);
  EXPECT_EQ(only_refusal().code, "plugin_untrusted");
}

TEST_F(PluginsTest, APluginOfAnotherUserIsRefused) {
  if (::geteuid() != 0) COCOON_CANNOT("only root can give a file away");
  add("good");
  ASSERT_EQ(::chown((folder_.path() + "/fixture.so").c_str(), 12345, 0), 0);
  const Error error = only_refusal();
  EXPECT_EQ(error.code, "plugin_untrusted");
  EXPECT_NE(error.message.find("12345"), std::string::npos);
}

TEST_F(PluginsTest, APathAsANameNeverLeavesTheFolders) {
  folder_.make("inner");
  add("good");
  Plugins plugins({{folder_.path() + "/inner"}, {}, false});
  EXPECT_FALSE(plugins.runtime("../fixture"));
  EXPECT_FALSE(plugins.driver("../fixture"));
  EXPECT_TRUE(plugins.refused().empty());
}

TEST_F(PluginsTest, AMistypedNameGetsASuggestion) {
  add("good");
  Plugins plugins(options());
  const auto runtime = plugins.runtime("fixtrue");
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().code, "unknown_runtime");
  EXPECT_EQ(runtime.error().hint, "did you mean \"fixture\"?");
}

TEST_F(PluginsTest, WhatADriverThrowsBecomesAnError) {
  folder_.copy_in(kPlugins + "thrower/thrower.so", "thrower.so");
  Plugins plugins(options());
  const auto plugin = plugins.driver("thrower");
  ASSERT_TRUE(plugin) << plugin.error().message;
  const cocoon_run_io io = {sizeof io, nullptr, nullptr, {-1, -1}, -1, -1, nullptr};
  const auto run = [&](const std::string& name) {
    Plan plan;
    plan.driver = "thrower";
    plan.stages.emplace_back();
    plan.stages[0].name = name;
    plan.stages[0].argv = {"/bin/" + name};
    plan.stages[0].cwd = "/";
    return run_driver(*(*plugin)->driver, to_json(plan), io);
  };
  const auto thrown = run("true");
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().code, "internal");
  EXPECT_NE(thrown.error().message.find("thrown on purpose"), std::string::npos);
  const auto odd = run("false");
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().code, "internal");
  const auto refused = run("other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (Error{"refused_on_purpose", "this driver refuses", "stage", "nothing helps"}));
  const auto bad = run_driver(*(*plugin)->driver, "{\"version\": 1", io);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().code, "internal");
}

TEST(LinkedPluginsTest, TheSamePresetsWorkWithoutAnySharedObject) {
  Plugins plugins({{}, {cocoon_linked_plugins, cocoon_linked_plugins_count}, false});
  EXPECT_TRUE(plugins.runtime("python"));
  EXPECT_TRUE(plugins.runtime("bash"));
  EXPECT_TRUE(plugins.runtime("sh"));
  EXPECT_TRUE(plugins.refused().empty());
}

TEST(BuiltInPluginsTest, AllLoad) {
  Plugins plugins({});
  EXPECT_GE(plugins.runtimes().size(), 3U);
  EXPECT_TRUE(plugins.driver("dryrun"));
  for (const RefusedPlugin& refused : plugins.refused()) ADD_FAILURE() << refused.path << ": " << refused.error.message;
}

}  // namespace
}  // namespace cocoon
