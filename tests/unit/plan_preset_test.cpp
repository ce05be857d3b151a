// Presets: what a runtime plugin may say about its runtime.
#include "plan/preset.hpp"

#include <gtest/gtest.h>

namespace cocoon {
namespace {

std::string where(std::string_view json) {
  const auto preset = parse_preset(json);
  return preset ? "" : preset.error().where;
}

// A good preset with more keys.
std::string with(const std::string& more) {
  return R"({"name":"lua","find":["lua"],"script":["{exe}","{file}"],"snippet_file":"s.lua")" +
         (more.empty() ? "" : "," + more) + "}";
}

TEST(Preset, ReadsEveryKey) {
  const auto preset = parse_preset(with(
      R"x("title":"Lua","aliases":["lua5","lua++"],"discover":["{exe}","-e","print('{}')"],"discover_env":["LUA_PATH"],
         "discover_files":[".lua-version"],"prefix":true,"needs":["/etc/lua*/conf"],"version":["{exe}","-v"],"snippet":["{exe}","-e","{code}"],"env":{"A":"{scratch}/a","B":"{home}"},
         "snippet_start":"#!","heap_percent":60,"least_memory_mib":8,"memory_rlimit":true,"install":"apt-get install lua5.4")x"));
  ASSERT_TRUE(preset);
  EXPECT_EQ(preset->name, "lua");
  EXPECT_EQ(preset->title, "Lua");
  EXPECT_EQ(preset->aliases, (std::vector<std::string>{"lua5", "lua++"}));
  EXPECT_EQ(preset->discover.size(), 3U);
  EXPECT_EQ(preset->discover_env, std::vector<std::string>{"LUA_PATH"});
  EXPECT_EQ(preset->discover_files, std::vector<std::string>{".lua-version"});
  EXPECT_TRUE(preset->prefix);
  EXPECT_EQ(preset->needs, std::vector<std::string>{"/etc/lua*/conf"});
  EXPECT_EQ(preset->version.size(), 2U);
  EXPECT_EQ(preset->snippet_start, "#!");
  EXPECT_EQ(preset->heap_percent, 60U);
  EXPECT_EQ(preset->least_memory_mib, 8U);
  EXPECT_EQ(preset->snippet.size(), 3U);
  EXPECT_EQ(preset->snippet_file, "s.lua");
  EXPECT_EQ(preset->script.size(), 2U);
  EXPECT_EQ(preset->env.size(), 2U);
  EXPECT_TRUE(preset->memory_rlimit);
  EXPECT_FALSE(preset->install.empty());
}

TEST(Preset, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(where(with("")), "");
  EXPECT_EQ(where("{}"), "preset.name");
  EXPECT_EQ(where(R"({"name":"Lua"})"), "preset.name");
  EXPECT_EQ(where(R"({"name":"lua"})"), "preset.find");
  EXPECT_EQ(where(R"({"name":"lua","find":[]})"), "preset.find");
  EXPECT_EQ(where(R"({"name":"lua","find":["bin/lua"]})"), "preset.find");
  EXPECT_EQ(where(R"({"name":"lua","find":["lua"],"script":["{exe}"],"snippet_file":"s"})"), "preset.script");
  EXPECT_EQ(where(R"({"name":"lua","find":["lua"],"script":["{file}"],"snippet_file":"../s"})"), "preset.snippet_file");
  EXPECT_EQ(where(with(R"("aliases":["Lua 5"])")), "preset.aliases");
  EXPECT_EQ(where(with(R"("snippet":["{exe}","-e"])")), "preset.snippet");
  EXPECT_EQ(where(with(R"("snippet":["{exec}","{code}"])")), "preset.snippet");
  EXPECT_EQ(where(with(R"("env":{"A":"{tmp}"})")), "preset.env");
  EXPECT_EQ(where(with(R"("env":{"A=B":"x"})")), "preset.env");
  EXPECT_EQ(where(with(R"("aliases":["+"])")), "preset.aliases");
  EXPECT_EQ(where(with(R"("needs":["etc/lua"])")), "preset.needs");
  EXPECT_EQ(where(with(R"("needs":["/etc/../root"])")), "preset.needs");
  EXPECT_EQ(where(with(R"("heap_percent":0)")), "preset.heap_percent");
  EXPECT_EQ(where(with(R"("heap_percent":101)")), "preset.heap_percent");
  EXPECT_EQ(where(with(R"("env":{"A":"{heap_kib}"})")), "preset.env");
  EXPECT_EQ(where(with(R"("memory_rlimit":1)")), "preset.memory_rlimit");
}

TEST(Preset, MayBeForALaterVersionThanThisOne) {
  EXPECT_EQ(where(with(R"("more":1,"later":{"title":2,"name":[]})")), "");
  EXPECT_EQ(where(with(R"("later":1,"title":2)")), "preset.title");
}

// Braces are ordinary characters of many languages.
TEST(Preset, LeavesOtherBracesAlone) {
  EXPECT_EQ(where(with(R"("snippet":["{exe}","BEGIN { x } {0} {A} ${x} {}","{code}"])")), "preset.snippet");
  EXPECT_EQ(where(with(R"("snippet":["{exe}","BEGIN { x } {0} {A} {} {a b} {","{code}"])")), "");
}

}  // namespace
}  // namespace cocoon
