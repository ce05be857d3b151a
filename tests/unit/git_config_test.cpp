// What is read of a repository's configuration.
#include "host/git_config.hpp"

#include <gtest/gtest.h>

namespace cocoon {
namespace {

TEST(GitConfig, ReadsTheKeysWhereverTheyStand) {
  const GitConfig config = read_git_config(
      "# a comment\n[core]\n\tbare = false\n\tHooksPath = .githooks  ; ours\n\tworktree = \"../my tree\"\n"
      "[include]\n\tpath = ../team.conf\n[includeIf \"gitdir:~/work [x]/\"] path = a\\\\b\n[remote "
      "\"origin\"]\n\tpath = no\n");
  EXPECT_EQ(config.hooks, ".githooks");
  EXPECT_EQ(config.work_tree, "../my tree");
  EXPECT_EQ(config.included, (std::vector<std::string>{"../team.conf", "a\\b"}));
}

TEST(GitConfig, WhatIsBrokenIsLeftOut) {
  for (const char* text : {"", "[", "[core", "[core]hooksPath", "[core]\nhooksPath =", "hooksPath = x", "[a \"\\",
                           "[core] = x", "=", "[]\n="})
    EXPECT_EQ(read_git_config(text).hooks, "") << text;
}

}  // namespace
}  // namespace cocoon
