// Outcome and Error JSON: one line whatever the guest printed, and absent where there is nothing to say.
#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace cocoon {
namespace {

using Json = nlohmann::ordered_json;

Outcome full_outcome() {
  Outcome outcome;
  outcome.status = Status::oom_killed;
  outcome.exit_code = 137;
  outcome.signal = 9;
  outcome.duration_ms = 184.2504;
  outcome.cpu_ms = 12.5;
  outcome.peak_mem_kib = 2776;
  outcome.memory_meter = "cgroup v2";
  outcome.stdout_text = "hello\n";
  outcome.stderr_text = std::string("\0\x1b[31m\"\\", 8);
  outcome.stdout_bytes = 6;
  outcome.stderr_bytes = 18'446'744'073'709'551'615U;
  outcome.stdout_truncated = outcome.stderr_truncated = true;
  outcome.driver = "linux";
  outcome.isolation = {{"seccomp", "filter"}, {"landlock", "ABI 6"}};
  outcome.limits_hit = {"memory"};
  outcome.planted = {".envrc"};
  outcome.error = Error{"code", "message", "where", "hint"};
  return outcome;
}

TEST(OutcomeJson, CarriesEveryFieldThereAndBack) {
  const std::string text = to_json(full_outcome());
  const auto again = parse_outcome(text);
  ASSERT_TRUE(again) << error_json(again.error());
  EXPECT_EQ(to_json(*again), text);
  EXPECT_EQ(again->status, Status::oom_killed);
  EXPECT_EQ(again->signal, 9);
  EXPECT_EQ(again->stderr_text, full_outcome().stderr_text);
  EXPECT_EQ(again->isolation, full_outcome().isolation);
  EXPECT_EQ(again->error, full_outcome().error);
  EXPECT_EQ(again->stderr_bytes, full_outcome().stderr_bytes);
}

TEST(OutcomeJson, HasTheKeysInThePublishedOrder) {
  const Json json = Json::parse(to_json(full_outcome()));
  std::string keys;
  for (const auto& [key, value] : json.items()) keys += key + " ";
  EXPECT_EQ(keys,
            "exit_code status signal stdout stderr duration_ms wall_ms cpu_ms peak_mem_kib memory_meter timed_out "
            "oom_killed stdout_bytes stderr_bytes stdout_truncated stderr_truncated driver isolation limits_hit "
            "planted error ");
}

TEST(OutcomeJson, LeavesOutWhatIsAbsent) {
  Outcome outcome;
  outcome.status = Status::exited;
  outcome.exit_code = 0;
  const Json json = Json::parse(to_json(outcome));
  for (const char* key : {"signal", "limits_hit", "planted", "error"}) EXPECT_FALSE(json.contains(key)) << key;
  for (const auto& [key, value] : json.items()) EXPECT_FALSE(value.is_null()) << key;
  EXPECT_FALSE(json["timed_out"]);
  EXPECT_TRUE(json["isolation"].is_object());
}

TEST(OutcomeJson, IsOneLineOfValidUtf8WhateverTheGuestPrinted) {
  Outcome outcome;
  for (int byte = 0; byte < 256; ++byte) outcome.stdout_text += static_cast<char>(byte);
  outcome.stdout_text += "\n{\"exit_code\":0}\r\xe2\x82";
  outcome.stderr_text = "\xed\xa0\x80";
  const std::string text = to_json(outcome);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  const auto again = parse_outcome(text);
  ASSERT_TRUE(again) << error_json(again.error());
  EXPECT_EQ(again->stdout_text.substr(0, 128), outcome.stdout_text.substr(0, 128));
  EXPECT_TRUE(again->stdout_text.ends_with("\n{\"exit_code\":0}\r\xef\xbf\xbd"));
}

TEST(OutcomeJson, WritesTimesThatJsonCanHold) {
  Outcome outcome;
  outcome.duration_ms = 1.23456;
  EXPECT_NE(to_json(outcome).find("\"duration_ms\":1.235,\"wall_ms\":1,"), std::string::npos);
  outcome.duration_ms = 2.5;
  EXPECT_NE(to_json(outcome).find("\"duration_ms\":2.5,\"wall_ms\":3,"), std::string::npos);
  for (const double odd : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    outcome.duration_ms = outcome.cpu_ms = odd;
    EXPECT_NE(to_json(outcome).find("\"duration_ms\":0.0,\"wall_ms\":0,\"cpu_ms\":0.0"), std::string::npos) << odd;
  }
}

TEST(OutcomeJson, RefusesWhatContradictsItself) {
  const auto place = [](const char* text) {
    const auto outcome = parse_outcome(text);
    return outcome ? std::string() : outcome.error().where;
  };
  EXPECT_EQ(place(R"({"exit_code":0,"status":"exited"})"), "");
  EXPECT_EQ(place(R"({"exit_code":0,"status":"exited","timed_out":true})"), "outcome.timed_out");
  EXPECT_EQ(place(R"({"exit_code":0,"status":"oom_killed","oom_killed":false})"), "outcome.oom_killed");
  EXPECT_EQ(place(R"({"exit_code":0,"status":"fine"})"), "outcome.status");
  EXPECT_EQ(place(R"({"status":"exited"})"), "outcome.exit_code");
  EXPECT_EQ(place(R"({"exit_code":0,"status":"exited","signal":null})"), "outcome.signal");
  EXPECT_EQ(place(R"({"exit_code":125,"status":"setup_failed","error":{"code":"c"}})"), "outcome.error.message");
}

// A driver may be newer than the program; what it says beyond what is known here is lost, and nothing else is.
TEST(OutcomeJson, KeysOfALaterVersionAreIgnored) {
  const auto outcome = parse_outcome(
      R"({"later":{"status":"exited"},"exit_code":1,"status":"setup_failed","denials":[1,null],
          "error":{"code":"c","since":2,"message":"m"}})");
  ASSERT_TRUE(outcome) << error_json(outcome.error());
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_EQ(outcome->status, Status::setup_failed);
  EXPECT_EQ(outcome->error, (Error{"c", "m", "", ""}));
  EXPECT_EQ(to_json(*outcome).find("denials"), std::string::npos);
}

TEST(ErrorJson, GoesThereAndBack) {
  const Error error{"bad_value", "is \"odd\"\n", "--ro", ""};
  EXPECT_EQ(error_json(error), R"({"code":"bad_value","message":"is \"odd\"\n","where":"--ro"})");
  const auto again = parse_error(error_json(error));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, error);
  EXPECT_FALSE(parse_error("{}"));
  EXPECT_EQ(parse_error(R"({"code":"a","message":"b","more":"c"})").value(), (Error{"a", "b", "", ""}));
}

}  // namespace
}  // namespace cocoon
