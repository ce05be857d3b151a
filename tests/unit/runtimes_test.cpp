// The presets that ship: each says what its schema asks for, and what people need to get and to start it.
#include "linked_plugins.h"
#include "plan/preset.hpp"
#include "plan/text.hpp"
#include "support/files.hpp"
#include "support/schema.hpp"

#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace cocoon::test {
namespace {

std::vector<std::string> texts() {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < cocoon_linked_plugins_count; ++i)
    if (const cocoon_plugin* plugin = cocoon_linked_plugins[i](); plugin->runtime != nullptr)
      found.emplace_back(plugin->runtime->preset_json);
  return found;
}

std::vector<Preset> presets() {
  std::vector<Preset> found;
  for (const std::string& text : texts()) {
    auto preset = parse_preset(text);
    EXPECT_TRUE(preset) << (preset ? "" : error_json(preset.error()));
    if (preset) found.push_back(std::move(*preset));
  }
  return found;
}

TEST(Runtimes, FitTheSchema) {
  const auto schema = nlohmann::json::parse(read_file(source_folder() / "sdk" / "schema" / "preset.schema.json"));
  for (const std::string& text : texts()) EXPECT_EQ(validate(schema, nlohmann::json::parse(text)), "") << text;
}

TEST(Runtimes, ArePromised) {
  std::set<std::string> names;
  for (const Preset& preset : presets()) names.insert(preset.name);
  for (const char* name : {"python", "node", "bun", "deno", "go", "java", "rust", "cargo", "pwsh", "bash", "sh", "ruby",
                           "php", "lua", "perl", "r", "c", "cpp", "typescript"})
    EXPECT_EQ(names.count(name), 1U) << name;
}

TEST(Runtimes, SayWhatTheyAreAndHowToGetThem) {
  for (const Preset& preset : presets()) {
    EXPECT_FALSE(preset.title.empty()) << preset.name;
    EXPECT_FALSE(preset.install.empty()) << preset.name;
    EXPECT_NE(preset.snippet_file.find('.'), std::string::npos) << preset.name;
  }
}

TEST(Runtimes, ShareNoName) {
  std::set<std::string> taken;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(taken.insert(preset.name).second) << preset.name;
    for (const std::string& alias : preset.aliases) EXPECT_TRUE(taken.insert(alias).second) << alias;
  }
}

// TypeScript is run by one of these three, as each of them is by itself.
TEST(Runtimes, TypeScriptHasWhatItsInterpretersNeed) {
  std::map<std::string, Preset> by_name;
  for (Preset& preset : presets()) by_name.emplace(preset.name, std::move(preset));
  const Preset& typescript = by_name.at("typescript");
  // The heap's bound is an argument there: Bun and Deno have their own ways.
  const std::set<std::string> by_argument{"NODE_OPTIONS"};
  for (const char* name : {"node", "bun", "deno"}) {
    const Preset& preset = by_name.at(name);
    for (const auto& variable : preset.env)
      EXPECT_TRUE(by_argument.count(variable.first) != 0 || contains(typescript.env, variable)) << variable.first;
    for (const std::string& variable : preset.discover_env)
      EXPECT_TRUE(contains(typescript.discover_env, variable)) << variable;
    for (const std::string& file : preset.discover_files)
      EXPECT_TRUE(contains(typescript.discover_files, file)) << file;
  }
}

// V8, JavaScriptCore, Go, the JVM and .NET reserve far more than they use; a compiler that runs their programs does not.
TEST(Runtimes, ThatReserveMemoryAreGivenNoRlimit) {
  const std::set<std::string> reserving{"node", "bun", "deno", "typescript", "go", "java", "pwsh"};
  for (const Preset& preset : presets())
    EXPECT_FALSE(preset.memory_rlimit && reserving.count(preset.name) != 0) << preset.name;
}

}  // namespace
}  // namespace cocoon::test
