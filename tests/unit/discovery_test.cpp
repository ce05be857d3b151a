// How an interpreter is found: PATH, shims, links, the discovery command, and the cache of its answers.
#include "host/discovery.hpp"

#include "host/trust.hpp"
#include "support/environment.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cocoon {
namespace {

// A shim as version managers have them: it counts how often it is asked, and answers what the test wrote.
constexpr const char* kShim = "#!/bin/sh\necho asked >> \"$COUNT_FILE\"\ncat \"$ANSWER_FILE\"\n";

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest() {
    for (const char* name : {"bin", "opt/lua/bin", "home", "project/deep"}) folder_.make(name);
    folder_.write("bin/lua", kShim, 0755);
    folder_.write("opt/lua/bin/lua5", "#!/bin/sh\n", 0755);
    answer(R"({"executable": ")" + real_lua() + R"(", "version": "5.4.1", "directories": [")" + folder_.at("opt/lua") +
           "\"]}");
    preset_.name = "lua";
    preset_.title = "Lua";
    preset_.find = {"lua9", "lua"};
    preset_.discover = {"{exe}", "--where"};
    preset_.discover_env = {"COUNT_FILE", "ANSWER_FILE"};
    preset_.install = "apt install lua";
  }

  std::string real_lua() const { return folder_.at("opt/lua/bin/lua5"); }
  void answer(const std::string& text) const { folder_.write("answer", text); }
  std::size_t asked() const {
    std::ifstream file(folder_.at("count"));
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  std::vector<std::filesystem::path> cache_files() const {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::exists(folder_.at("cache/cocoon"))) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.at("cache/cocoon"))) {
      files.push_back(entry.path());
    }
    return files;
  }
  Result<Interpreter> find(const std::vector<std::string>& guest_folders = {}) {
    return find_interpreter(preset_, cwd_, {guest_folders, {}});
  }
  // Refused because of place, and nothing was started.
  void expect_untrusted(const std::vector<std::string>& guest_folders, const std::string& place) {
    const auto found = find(guest_folders);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, "untrusted_interpreter");
    EXPECT_EQ(found.error().where, place);
    EXPECT_EQ(asked(), 0U);
  }

  TemporaryFolder folder_;
  Preset preset_;
  std::string cwd_ = folder_.at("project/deep");
  ScopedVariable path_{"PATH", "relative:" + folder_.at("bin") + ":/usr/bin:/bin"};
  ScopedVariable home_{"HOME", folder_.at("home")};
  ScopedVariable cache_{"XDG_CACHE_HOME", folder_.at("cache")};
  ScopedVariable count_{"COUNT_FILE", folder_.at("count")};
  ScopedVariable answer_{"ANSWER_FILE", folder_.at("answer")};
};

TEST_F(DiscoveryTest, AShimIsResolvedToWhatItStandsFor) {
  const auto found = find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->executable, real_lua());
  EXPECT_EQ(found->version, "5.4.1");
  EXPECT_EQ(found->directories, std::vector<std::string>{folder_.at("opt/lua")});
  EXPECT_TRUE(found->links.empty());
}

TEST_F(DiscoveryTest, TheAnswerIsRememberedPrivately) {
  ASSERT_TRUE(find());
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 1U);
  const auto files = cache_files();
  ASSERT_EQ(files.size(), 1U);
  struct stat info;
  ASSERT_EQ(::stat(files[0].c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(DiscoveryTest, AnotherProgramIsAskedAgain) {
  ASSERT_TRUE(find());
  folder_.write("bin/lua.new", std::string(kShim) + "\n# newer\n", 0755);
  std::filesystem::rename(folder_.at("bin/lua.new"), folder_.at("bin/lua"));
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 2U);
}

TEST_F(DiscoveryTest, AReplacedInterpreterIsAskedAgain) {
  ASSERT_TRUE(find());
  folder_.write("opt/lua/bin/lua5", "#!/bin/sh\n# newer\n", 0755);
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 2U);
}

TEST_F(DiscoveryTest, TheVariablesOfThePresetCount) {
  preset_.discover_env.emplace_back("LUA_VERSION");
  ASSERT_TRUE(find());
  const ScopedVariable version("LUA_VERSION", "5.1");
  ASSERT_TRUE(find());
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 2U);
}

TEST_F(DiscoveryTest, TheFilesOfThePresetCountFromTheCurrentFolderUpwards) {
  preset_.discover_files = {".lua-version"};
  ASSERT_TRUE(find());
  folder_.write("project/.lua-version", "5.1");
  ASSERT_TRUE(find());
  folder_.write("project/deep/.lua-version", "5.2");
  ASSERT_TRUE(find());
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 3U);
}

TEST_F(DiscoveryTest, FilesOfTheHomeFolderAndOfVariablesCountToo) {
  preset_.discover_files = {"~/.lua/version", "$LUA_ROOT/version"};
  const ScopedVariable root("LUA_ROOT", folder_.at("opt"));
  ASSERT_TRUE(find());
  folder_.make("home/.lua");
  folder_.write("home/.lua/version", "5.1");
  ASSERT_TRUE(find());
  folder_.write("opt/version", "5.1");
  ASSERT_TRUE(find());
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 3U);
}

TEST_F(DiscoveryTest, ACacheThatOthersCanWriteToIsNotBelieved) {
  ASSERT_TRUE(find());
  ASSERT_EQ(::chmod(cache_files().at(0).c_str(), 0622), 0);
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 2U);
  EXPECT_EQ(std::filesystem::status(cache_files().at(0)).permissions(), std::filesystem::perms(0600));
}

TEST_F(DiscoveryTest, ADamagedCacheIsWrittenAnew) {
  ASSERT_TRUE(find());
  std::ofstream(cache_files().at(0), std::ios::trunc) << "{";
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->executable, real_lua());
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 2U);
}

TEST_F(DiscoveryTest, WithoutAUsableCacheItIsAskedEveryTime) {
  folder_.write("cache", "a file where the folder should be");
  ASSERT_TRUE(find());
  ASSERT_TRUE(find());
  EXPECT_EQ(asked(), 2U);
}

TEST_F(DiscoveryTest, WhatIsMissingIsSaidWithTheWayToGetIt) {
  preset_.find = {"lua9", "lua8"};
  const auto found = find();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "runtime_missing");
  EXPECT_EQ(found.error().hint, "apt install lua");
  EXPECT_NE(found.error().message.find("lua9, lua8"), std::string::npos);
}

TEST_F(DiscoveryTest, ARelativeFolderOfPathIsNeverSearched) {
  folder_.make("project/deep/relative");
  folder_.write("project/deep/relative/lua9", kShim, 0755);
  ASSERT_EQ(::chdir(cwd_.c_str()), 0);
  const auto found = find();
  ASSERT_EQ(::chdir("/"), 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->executable, real_lua());
}

TEST_F(DiscoveryTest, ACommandThatFailsIsReportedWithItsFirstWords) {
  folder_.write("bin/lua", "#!/bin/sh\necho 'no version is set' >&2\nexit 7\n", 0755);
  const auto found = find();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "runtime_broken");
  EXPECT_NE(found.error().message.find('7'), std::string::npos);
  EXPECT_NE(found.error().message.find("no version is set"), std::string::npos);
}

TEST_F(DiscoveryTest, AnAnswerThatCannotBeTrueIsReported) {
  for (const char* text : {"", "no json", "{}", R"({"executable": "lua"})", R"({"executable": "/nowhere/lua"})"}) {
    answer(text);
    const auto found = find();
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, "runtime_broken");
  }
  EXPECT_TRUE(cache_files().empty());
}

TEST_F(DiscoveryTest, AGreetingBeforeTheAnswerDoesNotMatter) {
  answer(
      "Welcome to Lua\n"
      R"({"executable": ")" +
      real_lua() + "\"}\n");
  const auto found = find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->directories, std::vector<std::string>{real_lua()});
}

TEST_F(DiscoveryTest, AHomeFolderAsPrefixIsShownInPartsOnly) {
  folder_.make("home/bin");
  folder_.make("home/lib");
  folder_.make("home/.ssh");
  folder_.write("home/bin/lua5", "#!/bin/sh\n", 0755);
  answer(R"({"executable": ")" + folder_.at("home/bin/lua5") + R"(", "directories": [")" + folder_.at("home") +
         R"(", "/"]})");
  const auto found = find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->directories, (std::vector<std::string>{folder_.at("home/bin"), folder_.at("home/lib")}));
}

TEST_F(DiscoveryTest, LinksOnTheWayAreNamed) {
  std::filesystem::create_symlink("lua", folder_.at("opt/current"));
  folder_.make("venv/bin");
  std::filesystem::create_symlink(folder_.at("opt/current/bin/lua5"), folder_.at("venv/bin/lua"));
  answer(R"({"executable": ")" + folder_.at("venv/bin/lua") + R"(", "directories": [")" + folder_.at("venv") +
         "\", \"" + folder_.at("opt/current") + R"("]})");
  const auto found = find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->executable, folder_.at("venv/bin/lua"));
  EXPECT_EQ(found->directories, (std::vector<std::string>{folder_.at("opt/lua"), folder_.at("venv")}));
  ASSERT_EQ(found->links.size(), 1U);
  EXPECT_EQ(found->links[0].path, folder_.at("opt/current"));
  EXPECT_EQ(found->links[0].real, folder_.at("opt/lua"));
  const auto again = find();
  ASSERT_TRUE(again);
  EXPECT_EQ(asked(), 1U);
  ASSERT_EQ(again->links.size(), 1U);
  EXPECT_EQ(again->links[0].real, folder_.at("opt/lua"));
}

TEST_F(DiscoveryTest, AProgramThatAGuestMayHaveWrittenIsNotStarted) {
  expect_untrusted({folder_.at("bin")}, folder_.at("bin/lua"));
  expect_untrusted({folder_.at("home"), folder_.at("bin")}, folder_.at("bin/lua"));
  // Not by its neighbour's name, and not after its answer is known either.
  folder_.make("bi");
  ASSERT_TRUE(find({folder_.at("bi"), folder_.at("home")}));
  ASSERT_EQ(find({folder_.at("bin")}).error().code, "untrusted_interpreter");
}

TEST_F(DiscoveryTest, NoLinkOnTheWayMayBeAGuests) {
  folder_.make("work");
  folder_.make("first");
  std::filesystem::create_symlink(folder_.at("bin/lua"), folder_.at("work/lua"));
  std::filesystem::create_symlink(folder_.at("work/lua"), folder_.at("first/lua"));
  const ScopedVariable path("PATH", folder_.at("first") + ":/usr/bin:/bin");
  expect_untrusted({folder_.at("work")}, folder_.at("work/lua"));
}

TEST_F(DiscoveryTest, ALinkToWhatAGuestMayHaveWrittenIsNotFollowed) {
  folder_.make("work");
  folder_.make("first");
  folder_.write("work/evil", kShim, 0755);
  std::filesystem::create_symlink(folder_.at("work/evil"), folder_.at("first/lua"));
  const ScopedVariable path("PATH", folder_.at("first") + ":/usr/bin:/bin");
  expect_untrusted({folder_.at("work")}, folder_.at("work/evil"));
}

TEST_F(DiscoveryTest, TheInstallationAroundTheProgramMustNotBeAGuests) {
  folder_.make("lib/lua");
  expect_untrusted({folder_.at("lib")}, folder_.at("lib"));
  expect_untrusted({folder_.at("lib/lua")}, folder_.at("lib/lua"));
  folder_.make("work");
  folder_.write("work/pyvenv.cfg", "home = /nowhere");
  std::filesystem::create_symlink(folder_.at("work/pyvenv.cfg"), folder_.at("pyvenv.cfg"));
  expect_untrusted({folder_.at("work")}, folder_.at("work/pyvenv.cfg"));
}

TEST_F(DiscoveryTest, AFileThatChoosesTheVersionMustNotBeAGuests) {
  preset_.discover_files = {".lua-version", "~/.lua/version", "$LUA_ROOT/version"};
  const ScopedVariable path("PATH", folder_.at("bin") + ":/usr/bin:/bin");
  ASSERT_TRUE(find({folder_.at("project")}));
  std::filesystem::remove(folder_.at("count"));
  folder_.write("project/.lua-version", "5.1");
  expect_untrusted({folder_.at("project")}, folder_.at("project/.lua-version"));
  std::filesystem::remove(folder_.at("project/.lua-version"));
  const ScopedVariable root("LUA_ROOT", folder_.at("project/root"));
  expect_untrusted({folder_.at("project")}, folder_.at("project/root"));
}

TEST_F(DiscoveryTest, AnInterpreterItselfReadsNoSuchFile) {
  preset_.discover_files = {".lua-version"};
  preset_.find = {"cat"};
  preset_.discover = {"{exe}", folder_.at("answer")};
  folder_.write("project/.lua-version", "5.1");
  const ScopedVariable path("PATH", "/usr/bin:/bin:" + folder_.at("project"));
  const auto found = find({folder_.at("project")});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->executable, real_lua());
}

// What the shim was given, one variable a line.
constexpr const char* kTelling = "#!/bin/sh\n/usr/bin/env > \"$COUNT_FILE\"\ncat \"$ANSWER_FILE\"\n";

TEST_F(DiscoveryTest, AScriptIsStartedWithoutAGuestsFolderInPath) {
  folder_.write("bin/lua", kTelling, 0755);
  const ScopedVariable path("PATH", "relative:" + folder_.at("project/deep") + ":" + folder_.at("bin") + "::/usr/bin");
  ASSERT_TRUE(find({folder_.at("project")}));
  EXPECT_NE(folder_.read("count").find("\nPATH=/usr/bin:/bin:/run/current-system/sw/bin:" + folder_.at("bin") +
                                       ":/usr/bin\n"),
            std::string::npos)
      << folder_.read("count");
}

TEST_F(DiscoveryTest, NoVariableThatLoadsCodeComesAlong) {
  folder_.write("bin/lua", kTelling, 0755);
  const ScopedVariable ruby("RUBYOPT", "-revil");
  const ScopedVariable node("NODE_OPTIONS", "--require=evil");
  const ScopedVariable library("LD_LIBRARY_PATH", "/evil");
  ASSERT_TRUE(find());
  EXPECT_EQ(folder_.read("count").find("evil"), std::string::npos) << folder_.read("count");
}

TEST_F(DiscoveryTest, ACacheThatAGuestMayHaveWrittenIsNotUsed) {
  ASSERT_TRUE(find());
  ASSERT_TRUE(find({folder_.at("cache")}));
  EXPECT_EQ(asked(), 2U);
  std::filesystem::remove_all(folder_.at("cache"));
  ASSERT_TRUE(find({folder_.at("cache")}));
  EXPECT_TRUE(cache_files().empty());
}

TEST_F(DiscoveryTest, WhatLiesInTheProjectIsNotStartedButMayNameTheVersion) {
  preset_.discover_files = {".lua-version"};
  folder_.write("project/.lua-version", "5.1");
  ASSERT_TRUE(find_interpreter(preset_, cwd_, {{}, {folder_.at("project")}}));
  EXPECT_EQ(find_interpreter(preset_, cwd_, {{}, {folder_.at("bin")}}).error().code, "untrusted_interpreter");
  EXPECT_EQ(asked(), 1U);
}

TEST_F(DiscoveryTest, OfALinkInTheProjectOnlyTheSystemsProgramIsAsked) {
  folder_.make("project/.venv/bin");
  std::filesystem::create_symlink("/usr/bin/env", folder_.at("project/.venv/bin/env"));
  preset_.find = {"env"};
  preset_.discover = {"{exe}", "sh", "-c", R"(printf '{"executable": "%s"}' "$1")", "sh", "{found}"};
  const std::string link = folder_.at("project/.venv/bin/env");
  const ScopedVariable path("PATH", folder_.at("project/.venv/bin"));
  const GuestFolders guests{{}, {folder_.at("project")}};
  const auto found = find_interpreter(preset_, cwd_, guests);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->executable, link);
  preset_.discover.back() = "{exe}";  // no command that knows both
  EXPECT_EQ(find_interpreter(preset_, cwd_, guests).error().code, "untrusted_interpreter");
  // A program of the project's own, and a link to another's that is no system program.
  preset_.discover.back() = "{found}";
  std::filesystem::remove(link);
  std::filesystem::copy_file("/usr/bin/env", folder_.at("opt/env"));
  std::filesystem::create_symlink(folder_.at("opt/env"), link);
  EXPECT_EQ(find_interpreter(preset_, cwd_, guests).error().code, "untrusted_interpreter");
  std::filesystem::remove(link);
  std::filesystem::copy_file("/usr/bin/env", link);
  EXPECT_EQ(find_interpreter(preset_, cwd_, guests).error().code, "untrusted_interpreter");
}

TEST_F(DiscoveryTest, AVersionIsNotAskedOfWhatAGuestMayHaveMade) {
  folder_.write("project/lua", kShim, 0755);
  preset_.version = {"{exe}"};
  EXPECT_EQ(ask_version(preset_, {folder_.at("project/lua"), {}, {}, {}}, {{}, {folder_.at("project")}}), "");
  EXPECT_EQ(asked(), 0U);
}

TEST_F(DiscoveryTest, OfAnInstallationInTheHomeWhatIsPrivateStaysHidden) {
  folder_.make("home/.lua/bin");
  folder_.make("home/.lua/share");
  folder_.write("home/.lua/credentials.toml", "secret");
  std::filesystem::copy_file("/bin/true", folder_.at("home/.lua/bin/lua9"));
  const ScopedVariable path("PATH", folder_.at("home/.lua/bin"));
  preset_.prefix = true;
  const auto found = find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->directories, (std::vector<std::string>{folder_.at("home/.lua/bin"), folder_.at("home/.lua/share")}));
}

TEST_F(DiscoveryTest, TheProjectIsTheOutermostFolderThatLooksLikeOne) {
  const auto project = [&](const std::string& cwd) { return project_folder(cwd, folder_.at("home")); };
  using Folders = std::vector<std::string>;
  EXPECT_EQ(project(cwd_), Folders{cwd_});
  folder_.make("project/.git");
  EXPECT_EQ(project(cwd_), Folders{folder_.at("project")});
  folder_.write("project/deep/package.json", "{}");
  EXPECT_EQ(project(cwd_), Folders{folder_.at("project")});
  for (const std::string& wide :
       {folder_.at("home"), std::string(folder_.path()), std::string("/"), std::string("/usr/bin")}) {
    EXPECT_EQ(project(wide), Folders{}) << wide;
  }
}

TEST_F(DiscoveryTest, WithoutACommandTheProgramIsTheAnswer) {
  preset_.discover.clear();
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->executable, folder_.at("bin/lua"));
  EXPECT_EQ(found->directories, std::vector<std::string>{folder_.at("bin/lua")});
  EXPECT_EQ(asked(), 0U);
}

TEST_F(DiscoveryTest, AnInstallationIsTheFolderAboveBin) {
  // A copy of real machine code, since a script could be a version manager's stand-in.
  std::filesystem::copy_file("/bin/true", folder_.at("opt/lua/bin/lua9"));
  folder_.make("links");
  std::filesystem::create_symlink(folder_.at("opt/lua/bin/lua9"), folder_.at("links/lua9"));
  const ScopedVariable path("PATH", folder_.at("links"));
  preset_.prefix = true;
  const auto found = find({folder_.at("opt")});  // nothing is started, so it doesn't matter who wrote it
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->executable, folder_.at("links/lua9"));
  EXPECT_EQ(found->directories, std::vector<std::string>{folder_.at("opt/lua")});
  EXPECT_EQ(asked(), 0U);
}

TEST_F(DiscoveryTest, AShimIsAskedEvenWhereTheInstallationIsTheFolderAboveBin) {
  preset_.prefix = true;
  const auto found = find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->executable, real_lua());
  EXPECT_EQ(asked(), 1U);
}

TEST_F(DiscoveryTest, WhatItNeedsBesidesIsShownWhereItExists) {
  for (const char* name : {"etc/lua-5.3/conf", "etc/lua-5.4/conf", "etc/lua-5.4/secret", "etc/.lua-5/conf"}) {
    folder_.make(name);
  }
  preset_.needs = {folder_.at("etc/lua-*/conf"), folder_.at("etc/lua*4/secret"), folder_.at("etc/none")};
  for (int round = 0; round < 2; ++round) {  // asked, and from the cache
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->directories,
              (std::vector<std::string>{folder_.at("etc/lua-5.3/conf"), folder_.at("etc/lua-5.4/conf"),
                                        folder_.at("etc/lua-5.4/secret"), folder_.at("opt/lua")}));
  }
  EXPECT_EQ(asked(), 1U);
}

TEST_F(DiscoveryTest, VariablesOfTheAnswerAreRemembered) {
  answer(R"({"executable": ")" + real_lua() + R"(", "env": {"LUA_PATH": "/opt/rocks", "A": ""}})");
  for (int round = 0; round < 2; ++round) {
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->env, (std::vector<std::pair<std::string, std::string>>{{"LUA_PATH", "/opt/rocks"}, {"A", ""}}));
  }
  EXPECT_EQ(asked(), 1U);
}

TEST_F(DiscoveryTest, TheVersionIsTheFirstNumberWithADot) {
  const Interpreter shell{"/bin/sh", {}, {}, {}};
  const auto version = [&](const std::string& script) {
    preset_.version = {"{exe}", "-c", script};
    return ask_version(preset_, shell, {});
  };
  EXPECT_EQ(version("echo go version go1.19.8 linux/amd64"), "1.19.8");
  EXPECT_EQ(version("echo 'PHP 8.2.36. (cli)'"), "8.2.36");
  EXPECT_EQ(version("echo 'This is perl 5, version 36 (v5.36.0)'"), "5.36.0");
  EXPECT_EQ(version("echo 'openjdk version \"17.0.1\"' >&2"), "17.0.1");
  EXPECT_EQ(version("echo none 7"), "");
  EXPECT_EQ(version("exit 1"), "");
  preset_.version.clear();
  EXPECT_EQ(ask_version(preset_, shell, {}), "");
}

}  // namespace
}  // namespace cocoon
