// cocoon.conf: every key, its quoting and comments, and errors that carry the line.
#include "plan/request.hpp"

#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>

namespace cocoon {
namespace {

using Words = std::vector<std::string>;

Result<Request> conf(std::string_view text) { return parse_conf(text, "/bundle"); }

Words argv(const std::string& value) {
  const auto request = conf("argv = " + value);
  return request ? request->command : Words{"error: " + request.error().message};
}

// Of a conf with a good argv and this line after it.
std::string error(const std::string& line) {
  const auto request = conf("argv = a\n" + line);
  return request ? "" : request.error().where + " " + request.error().code;
}

TEST(Conf, SetsEveryKey) {
  const auto request = conf(
      "profile = strict\nhostname = box\ncwd = /srv\nargv = a b\nenv = A=1\nenv = B=2 3\n"
      "mount = /x:/y:ro\nmount = data:/z:rw\ntimeout = 5\nnet = isolated\nreadonly = false\nmemory_max = 64M\n"
      "pids_max = 9\n");
  ASSERT_TRUE(request) << error_json(request.error());
  EXPECT_EQ(request->rootfs, "/bundle/rootfs");
  EXPECT_EQ(request->profile, "strict");
  EXPECT_EQ(request->hostname, "box");
  EXPECT_EQ(request->cwd, "/srv");
  EXPECT_EQ(request->command, (Words{"a", "b"}));
  EXPECT_EQ(request->env, (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "2 3"}}));
  EXPECT_EQ(request->mounts, (std::vector<ExtraMount>{{"/x", "/y", false}, {"/bundle/data", "/z", true}}));
  EXPECT_EQ(request->timeout_ms, 5000U);
  EXPECT_EQ(request->net, Network::none);
  EXPECT_EQ(request->readonly, false);
  EXPECT_EQ(request->memory_kib, 65536U);
  EXPECT_EQ(request->pids, 9U);
  EXPECT_TRUE(check_request(*request));
}

TEST(Conf, LeavesOpenWhatItDoesNotSay) {
  const auto request = conf("argv=a");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->timeout_ms || request->memory_kib || request->pids || request->net || request->readonly);
  EXPECT_TRUE(request->hostname.empty() && request->cwd.empty() && request->profile.empty());
}

TEST(Conf, SplitsArgvAtWhiteSpaceOutsideDoubleQuotes) {
  EXPECT_EQ(argv("a  b\tc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(argv(R"("a b" c)"), (Words{"a b", "c"}));
  EXPECT_EQ(argv(R"(a"b c"d)"), (Words{"ab cd"}));
  EXPECT_EQ(argv(R"(a "" b)"), (Words{"a", "", "b"}));
  EXPECT_EQ(argv(R"("say \"hi\" \\ \n")"), (Words{R"(say "hi" \ \n)"}));
  EXPECT_EQ(argv(R"(a\ b \" x")"), (Words{"a\\", "b", "\\ x"}));
  EXPECT_EQ(argv(R"(a\b 'c d')"), (Words{R"(a\b)", "'c", "d'"}));
  EXPECT_EQ(argv(R"("\")"), (Words{"error: a double quote is never closed"}));
  EXPECT_EQ(argv(R"("\\")"), (Words{"\\"}));
  EXPECT_EQ(argv(R"("" a)"), (Words{"error: argv names no program"}));
}

TEST(Conf, TakesAHashForACommentOutsideQuotesAndAfterWhiteSpaceOnly) {
  EXPECT_EQ(argv("a # b"), (Words{"a"}));
  EXPECT_EQ(argv("a\t#b"), (Words{"a"}));
  EXPECT_EQ(argv("a#b"), (Words{"a#b"}));
  EXPECT_EQ(argv(R"("a # b" c)"), (Words{"a # b", "c"}));
  EXPECT_EQ(argv(R"("a \" # b" c # d)"), (Words{"a \" # b", "c"}));
  EXPECT_EQ(argv(R"("a" #"b")"), (Words{"a"}));
  const auto request = conf("#argv = x\n  # y\nargv = a\nenv = A=b#c # d\nenv = B=\"x # y\" # z\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->env, (std::vector<std::pair<std::string, std::string>>{{"A", "b#c"}, {"B", "\"x # y\""}}));
}

TEST(Conf, ToleratesTheLineEndsOfWindows) {
  const auto request = conf("\xef\xbb\xbf# x\r\nargv = a b\r\n\r\nenv = A=1\r\ntimeout = 5\r\n");
  ASSERT_TRUE(request) << error_json(request.error());
  EXPECT_EQ(request->command, (Words{"a", "b"}));
  EXPECT_EQ(request->env[0].second, "1");
  EXPECT_EQ(request->timeout_ms, 5000U);
}

TEST(Conf, NamesTheLineOfAnError) {
  EXPECT_EQ(error("\n\nwhat = x"), "cocoon.conf:4 unknown_key");
  EXPECT_EQ(error("Timeout = 5"), "cocoon.conf:2 unknown_key");
  EXPECT_EQ(error("= 5"), "cocoon.conf:2 unknown_key");
  EXPECT_EQ(error("timeout"), "cocoon.conf:2 bad_conf");
  EXPECT_EQ(error("timeout ="), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("timeout = # 5"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("timeout = 99999999999999999999"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("memory_max = 18446744073709551616"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("memory_max = 67108864"), "cocoon.conf:2 bad_value");  // bytes, where MiB are counted
  EXPECT_EQ(error("pids_max = -1"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("pids_max = 4294967297"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("net = bridge"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("readonly = yes"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("profile = lax"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("env = A"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("mount = /a:/b"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("mount = /a:b:ro"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("mount = /a:../b:ro"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("hostname = a\nhostname = b"), "cocoon.conf:3 bad_conf");
  EXPECT_EQ(error("argv = b"), "cocoon.conf:2 bad_conf");
  EXPECT_EQ(error(std::string("env = A=\0", 9)), "cocoon.conf:2 bad_conf");
  EXPECT_EQ(error("hostname = \xff"), "cocoon.conf:2 bad_value");
  EXPECT_EQ(error("env = A=1\nenv = A=2\nmount = /a:/b:ro\nmount = /a:/c:rw"), "");
}

TEST(Conf, NeedsACommand) {
  EXPECT_EQ(conf("").error().where, "cocoon.conf");
  EXPECT_EQ(conf("argv =").error().where, "cocoon.conf:1");
  EXPECT_EQ(conf(std::string(2U << 20U, '#')).error().where, "cocoon.conf");
}

}  // namespace
}  // namespace cocoon
