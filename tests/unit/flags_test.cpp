// Reading command-line flags.
#include "cli/flags.hpp"

#include <gtest/gtest.h>

namespace cocoon::cli {
namespace {

class FlagsTest : public testing::Test {
 protected:
  Result<Words> read(const std::vector<std::string>& arguments, bool ends = false) {
    return read_flags(flags_, arguments, [ends] { return ends; });
  }
  Flag flag(const std::string& names, const std::string& metavar) {
    return {names, metavar, "help", [this](std::string_view value, std::string_view where) -> Result<void> {
              if (value == "bad") return fail("bad_value", "is bad", std::string(where));
              seen_.push_back(std::string(where) + "|" + std::string(value));
              return {};
            }};
  }

  std::vector<std::string> seen_;
  std::vector<Flag> flags_ = {flag("-c,--code", "CODE"), flag("--work", "DIR"), flag("--json", "")};
};

using Seen = std::vector<std::string>;

TEST_F(FlagsTest, EverySpelling) {
  ASSERT_TRUE(read({"-c", "a", "-cb", "--code", "c", "--code=d", "--code=", "--json", "-c", "-1"}));
  EXPECT_EQ(seen_, (Seen{"-c|a", "-c|b", "--code|c", "--code|d", "--code|", "--json|", "-c|-1"}));
}

TEST_F(FlagsTest, AnEqualsSignBelongsToTheValue) {
  ASSERT_TRUE(read({"--work=a=b", "-c=x"}));
  EXPECT_EQ(seen_, (Seen{"--work|a=b", "-c|=x"}));
}

TEST_F(FlagsTest, WordsAndWhatFollowsTheMark) {
  const auto words = read({"one", "--json", "-", "--", "--json", "two"});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->before, (Seen{"one", "-"}));
  EXPECT_TRUE(words->marked);
  EXPECT_EQ(words->after, (Seen{"--json", "two"}));
  EXPECT_EQ(seen_, Seen{"--json|"});
}

TEST_F(FlagsTest, AWordMayEndTheFlags) {
  const auto words = read({"--json", "file", "--json", "--", "x"}, true);
  ASSERT_TRUE(words);
  EXPECT_TRUE(words->before.empty());
  EXPECT_FALSE(words->marked);
  EXPECT_EQ(words->after, (Seen{"file", "--json", "--", "x"}));
}

struct Wrong {
  std::vector<std::string> arguments;
  std::string where;
  std::string hint;
};

TEST_F(FlagsTest, WhatIsWrongIsNamed) {
  for (const Wrong& wrong :
       {Wrong{{"--jsno"}, "--jsno", "did you mean --json?"}, Wrong{{"--cod=1"}, "--cod", "did you mean --code?"},
        Wrong{{"-x"}, "-x", ""}, Wrong{{"--json=1"}, "--json", ""}, Wrong{{"--work"}, "--work", ""},
        Wrong{{"--work", "--json"}, "--work", "if that is the value, write --work=--json"},
        Wrong{{"--work", "--", "x"}, "--work", "if that is the value, write --work=--"},
        Wrong{{"--work", "bad"}, "--work", ""}}) {
    const auto words = read(wrong.arguments);
    ASSERT_FALSE(words) << wrong.arguments[0];
    EXPECT_EQ(words.error().where, wrong.where);
    if (!wrong.hint.empty()) {
      EXPECT_EQ(words.error().hint, wrong.hint);
    }
  }
}

TEST_F(FlagsTest, AValueThatLooksLikeAFlagIsAValueWhereNoSuchFlagExists) {
  ASSERT_TRUE(read({"-c", "--version"}));
  EXPECT_EQ(seen_, Seen{"-c|--version"});
}

}  // namespace
}  // namespace cocoon::cli
