// The field table, request JSON, and what a request must be.
#include "plan/host_paths.hpp"
#include "plan/request.hpp"

#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>

#include <set>

namespace cocoon {
namespace {

std::string problem(const Result<void>& result) {
  return result ? "" : result.error().code + " " + result.error().where + ": " + result.error().message;
}

Result<Request> request_of(std::string_view json) { return parse_request(json); }

std::string where_of(std::string_view json) {
  const auto request = parse_request(json);
  return request ? "" : request.error().where;
}

TEST(FieldTable, HasNoNameTwice) {
  std::set<std::string_view> names;
  std::set<std::string_view> flags;
  for (const Field& field : request_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_TRUE(field.alias.empty() || names.insert(field.alias).second) << field.alias;
    EXPECT_TRUE(field.flag.empty() || flags.insert(field.flag).second) << field.flag;
    EXPECT_EQ(find_field(field.name), &field);
    EXPECT_FALSE(field.help.empty()) << field.name;
    EXPECT_TRUE(field.help.ends_with('.')) << field.name;
    EXPECT_EQ(field.flag.empty() || field.type == FieldType::flag, field.metavar.empty() || field.flag.empty())
        << field.name;
  }
  EXPECT_EQ(find_field("nonsense"), nullptr);
  EXPECT_EQ(find_field(""), nullptr);
  EXPECT_EQ(find_field("mem"), find_field("memory_max"));
  EXPECT_EQ(find_field("workdir"), find_field("work"));
}

// What each field takes, what it refuses, and that it arrives somewhere.
TEST(SetField, TakesGoodAndRefusesBadValuesOfEveryField) {
  struct Row {
    std::string_view name, good, bad;
  };
  constexpr Row rows[] = {{"command", "ls", ""},
                          {"runtime", "python", ""},
                          {"code", "print(1)", std::string_view("a\0b", 3)},
                          {"file", "x.py", ""},
                          {"args", "-v", std::string_view("\0", 1)},
                          {"rootfs", "/r", ""},
                          {"ro", ".", ""},
                          {"work", "w", ""},
                          {"copy", "c", ""},
                          {"temp", "t", ""},
                          {"env", "A=", "=A"},
                          {"cwd", "/w", ""},
                          {"hostname", "box", ""},
                          {"mount", "/a:/b:ro", "/a:/b"},
                          {"readonly", "true", "yes"},
                          {"net", "host", "bridge"},
                          {"stdin", "text", "\xff"},
                          {"profile", "strict", "Strict"},
                          {"timeout", "5", "soon"},
                          {"memory_max", "64", "0"},
                          {"pids_max", "5", "0"},
                          {"cpu_time", "5", "-5"},
                          {"disk", "64", "64X"},
                          {"output_max", "1", ""},
                          {"file_max", "1", "9000G"},
                          {"open_files", "64", "6.4"},
                          {"allow_protected", "true", "1"},
                          {"driver", "linux", ""},
                          {"require", "seccomp", "magic"},
                          {"step_timeout", "5", "soon"},
                          {"keep_going", "true", "1"},
                          {"name", "first", ""}};
  ASSERT_EQ(std::size(rows) + 1, request_fields().size()) << "steps is no text";
  Request none;
  EXPECT_FALSE(set_field(none, *find_field("steps"), "[]", "here"));
  for (const Row& row : rows) {
    const Field* field = find_field(row.name);
    ASSERT_NE(field, nullptr) << row.name;
    Request request;
    EXPECT_EQ(problem(set_field(request, *field, row.good, "here")), "") << row.name;
    if (row.bad.empty() && (row.name == "command" || row.name == "args")) continue;  // an empty argument is one
    const auto refused = set_field(request, *field, row.bad, "here");
    ASSERT_FALSE(refused) << row.name;
    EXPECT_EQ(refused.error().where, "here");
    EXPECT_FALSE(refused.error().message.empty());
  }
}

TEST(SetField, StoresUnitsAsThePlanCountsThem) {
  Request request;
  const auto set = [&](std::string_view name, std::string_view value) {
    EXPECT_EQ(problem(set_field(request, *find_field(name), value, name)), "");
  };
  set("mem", "64");
  set("disk", "1G");
  set("file_max", "1025B");
  set("output_max", "2M");
  set("timeout", "2m");
  set("cpu_time", "250ms");
  set("pids", "7");
  EXPECT_EQ(request.memory_kib, 64U * 1024);
  EXPECT_EQ(request.disk_kib, 1024U * 1024);
  EXPECT_EQ(request.file_kib, 2U);  // never tighter than asked for
  EXPECT_EQ(request.output_bytes, 2U * 1024 * 1024);
  EXPECT_EQ(request.timeout_ms, 120'000U);
  EXPECT_EQ(request.cpu_ms, 250U);
  EXPECT_EQ(request.pids, 7U);
}

TEST(SetField, ReadsAMountFromItsEnd) {
  Request request;
  const Field& mount = *find_field("mount");
  EXPECT_EQ(problem(set_field(request, mount, "C:/my data:/b:rw", "m")), "");
  EXPECT_EQ(request.mounts.back(), (ExtraMount{"C:/my data", "/b", true}));
  for (const std::string_view bad : {"", ":", "::", "a:b", "/a:/b:rx", "/a:b:ro", "/a:/b/:ro", "/a:/b/../c:ro",
                                     "/a:/:ro", ":/b:ro", "/a::ro", "/a:/b:", "ro", "/a:/b//c:ro", "/a:/./b:ro"})
    EXPECT_FALSE(set_field(request, mount, bad, "m")) << bad;
  EXPECT_EQ(request.mounts.size(), 1U);
}

TEST(ParseRequest, ReadsTheArgumentsOfATool) {
  const auto request = request_of(
      R"x({"runtime":"python","code":"print(1)","timeout":0.5,"mem":64,"workdir":"w","ro":["a","b"],"copy":["c"],
          "env":{"A":"1","B":"x=y"},"stdin":"in\u0000put","net":"none","readonly":false,"disk":"64M"})x");
  ASSERT_TRUE(request) << error_json(request.error());
  EXPECT_EQ(request->runtime, "python");
  EXPECT_EQ(request->code, "print(1)");
  EXPECT_EQ(request->timeout_ms, 500U);
  EXPECT_EQ(request->memory_kib, 65536U);
  EXPECT_EQ(request->work, "w");
  EXPECT_EQ(request->ro, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request->env, (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "x=y"}}));
  EXPECT_EQ(request->stdin_text, std::string("in\0put", 6));
  EXPECT_EQ(request->net, Network::none);
  EXPECT_EQ(request->readonly, false);
  EXPECT_EQ(request->disk_kib, 65536U);
  EXPECT_FALSE(request->pids);
}

TEST(ParseRequest, RunsACommandStringByAShell) {
  EXPECT_EQ(request_of(R"({"command":"a | b"})")->command, (std::vector<std::string>{"/bin/sh", "-c", "a | b"}));
  EXPECT_EQ(request_of(R"({"command":["a","| b"]})")->command, (std::vector<std::string>{"a", "| b"}));
}

TEST(ParseRequest, RoundsAFractionOfASecondUp) {
  EXPECT_EQ(request_of(R"({"timeout":0.0001})")->timeout_ms, 1U);
  EXPECT_EQ(request_of(R"({"timeout":1.0})")->timeout_ms, 1000U);
  EXPECT_EQ(request_of(R"({"timeout":"1.5m"})")->timeout_ms, 90'000U);
}

TEST(ParseRequest, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(where_of("[]"), "request");
  EXPECT_EQ(where_of("{"), "request");
  EXPECT_EQ(where_of(R"({"ro":["a",1]})"), "ro[1]");
  EXPECT_EQ(where_of(R"({"env":{"A":1}})"), "env.A");
  EXPECT_EQ(where_of(R"({"env":{"A=B":"1"}})"), "env.A=B");
  EXPECT_EQ(where_of(R"({"mem":1.5})"), "mem");
  EXPECT_EQ(where_of(R"({"mem":-1})"), "mem");
  EXPECT_EQ(where_of(R"({"timeout":-0.5})"), "timeout");
  EXPECT_EQ(where_of(R"({"timeout":0})"), "timeout");
  EXPECT_EQ(where_of(R"({"timeout":1e300})"), "timeout");
  EXPECT_EQ(where_of(R"({"pids":"5"})"), "pids");
  EXPECT_EQ(where_of(R"({"code":"a\u0000"})"), "code");
  EXPECT_EQ(where_of(R"({"readonly":"true"})"), "readonly");
  EXPECT_EQ(where_of(R"({"mount":["/a:b:ro"]})"), "mount[0]");
  EXPECT_EQ(where_of(R"({"Code":"x"})"), "Code");
}

TEST(ParseRequest, ReadsStepsAndWhatIsTheirs) {
  const auto request =
      parse_request(R"({"timeout": 9, "env": {"A": "all"}, "pids": 20, "stdin": "in", "step_timeout": 4,
      "steps": [{"name": "one", "runtime": "sh", "code": "x", "env": {"A": "own"}, "timeout": 3, "mem": 64},
                {"command": "ls", "cwd": "/work"}]})");
  ASSERT_TRUE(request) << request.error().message;
  const auto steps = step_requests(*request);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].name, "one");
  EXPECT_EQ(steps[0].timeout_ms, 3000U);
  EXPECT_EQ(steps[0].memory_kib, 65536U);
  EXPECT_EQ(steps[0].env.back().second, "own");
  EXPECT_EQ(steps[0].stdin_text, "in");
  EXPECT_EQ(steps[1].command, (std::vector<std::string>{"/bin/sh", "-c", "ls"}));
  EXPECT_EQ(steps[1].timeout_ms, 4000U);
  EXPECT_EQ(steps[1].pids, 20U);
  EXPECT_EQ(steps[1].cwd, "/work");
  EXPECT_FALSE(steps[1].stdin_text) << "the first step has read it";
  EXPECT_TRUE(check_request(*request));
}

// A value that each field takes, and that is none of its defaults.
std::string value_of(const Field& field) {
  if (!field.choices.empty()) return std::string(field.choices.substr(0, field.choices.find('|')));
  switch (field.type) {
    case FieldType::flag:
      return field.fallback == "true" ? "false" : "true";
    case FieldType::pairs:
      return "A=b";
    case FieldType::duration:
    case FieldType::size:
    case FieldType::count:
      return "77";
    default:
      return field.name == "mount" ? "/here:/there:rw" : "/here";
  }
}

// A path that is not among them is neither looked up nor held against an operator's policy.
TEST(HostPaths, AreThoseOfEveryFieldThatNamesOne) {
  const auto has = [](const Request& request, std::string_view field, std::size_t step) {
    for (const HostPath& path : host_paths(request))
      if (path.field == field && path.given == "/here" && path.step == step) return true;
    return false;
  };
  std::size_t checked = 0;
  for (const Field& field : request_fields()) {
    EXPECT_EQ(names_host_path(field), field.type == FieldType::path || field.type == FieldType::path_list ||
                                          field.metavar.starts_with("SOURCE"))
        << field.name;
    if (!names_host_path(field)) continue;
    ++checked;
    Request request;
    ASSERT_TRUE(set_field(request, field, value_of(field), "x")) << field.name;
    EXPECT_TRUE(has(request, field.name, 0)) << field.name;
    if (!is_step_field(field.name)) continue;
    Request pipeline;
    pipeline.steps = {Request{}, request};
    EXPECT_TRUE(has(pipeline, field.name, 2)) << field.name;
  }
  EXPECT_GE(checked, 7U);
}

TEST(HostPaths, SayWhatTheGuestMayChange) {
  Request request;
  request.rootfs = "/here";
  const auto writable = [&] { return host_paths(request).front().writable; };
  EXPECT_FALSE(writable());
  request.profile = "build";
  EXPECT_TRUE(writable());
  request.readonly = true;
  EXPECT_FALSE(writable());
  request.profile = "strict";
  request.readonly = false;
  EXPECT_TRUE(writable());
  request = {};
  request.work = "w";
  request.temp = "t";
  request.mounts = {{"a", "/a", true}, {"b", "/b", false}};
  std::string changed;
  for (const HostPath& path : host_paths(request))
    if (path.writable) changed += path.given;
  EXPECT_EQ(changed, "awt");
}

// What the table lets a step say has to arrive in its request, and nothing else.
TEST(StepRequests, TakeWhatAStepMaySay) {
  Request plain;
  plain.steps = {Request{}};
  for (const Field& field : request_fields()) {
    if (field.type == FieldType::steps) continue;
    Request pipeline = plain;
    ASSERT_TRUE(set_field(pipeline.steps[0], field, value_of(field), "x")) << field.name;
    ASSERT_NE(pipeline.steps[0], Request{}) << field.name;
    EXPECT_EQ(step_requests(pipeline) != step_requests(plain), is_step_field(field.name)) << field.name;
  }
}

TEST(StepRequests, OfARequestThatIsNoPipelineIsItself) {
  Request request;
  request.command = {"x"};
  request.timeout_ms = 5;
  EXPECT_EQ(step_requests(request), std::vector<Request>{request});
}

TEST(ParseRequest, NamesTheStepThatIsWrong) {
  for (const auto& [text, where] : {std::pair(R"({"steps": [{"command": "a"}, {"work": "/x"}]})", "steps[1].work"),
                                    std::pair(R"({"steps": [{"command": "a", "steps": []}]})", "steps[0].steps"),
                                    std::pair(R"({"steps": [{"timeout": "soon"}]})", "steps[0].timeout"),
                                    std::pair(R"({"steps": ["ls"]})", "steps[0]"),
                                    std::pair(R"({"steps": {}})", "steps"), std::pair(R"({"name": "x"})", "name")}) {
    const auto request = parse_request(text);
    ASSERT_FALSE(request) << text;
    EXPECT_EQ(request.error().where, where);
  }
  const auto empty = parse_request(R"({"steps": [{"command": "a"}, {"runtime": "sh"}]})");
  ASSERT_TRUE(empty);
  EXPECT_EQ(check_request(*empty).error().where, "step 2: runtime");
}

TEST(CheckRequest, WantsExactlyOneThingToRun) {
  const auto check = [](std::string_view json) {
    const auto request = parse_request(json);
    EXPECT_TRUE(request) << json;
    const auto checked = check_request(*request);
    return checked ? std::string() : checked.error().where;
  };
  EXPECT_EQ(check(R"({"command":["x"]})"), "");
  EXPECT_EQ(check(R"({"runtime":"python","code":""})"), "");
  EXPECT_EQ(check(R"({"runtime":"python","file":"a","args":["b"]})"), "");
  EXPECT_EQ(check(R"({"rootfs":"/r","command":["x"]})"), "");
  EXPECT_EQ(check(R"({})"), "command");
  EXPECT_EQ(check(R"({"command":[]})"), "command");
  EXPECT_EQ(check(R"({"command":[""]})"), "command");
  EXPECT_EQ(check(R"({"runtime":"python"})"), "runtime");
  EXPECT_EQ(check(R"({"code":"1"})"), "runtime");
  EXPECT_EQ(check(R"({"file":"x"})"), "runtime");
  EXPECT_EQ(check(R"({"runtime":"python","code":"1","file":"x"})"), "code");
  EXPECT_EQ(check(R"({"runtime":"python","code":"1","command":["x"]})"), "command");
  EXPECT_EQ(check(R"({"runtime":"python","code":"1","args":["x"]})"), "args");
  EXPECT_EQ(check(R"({"rootfs":"/r"})"), "command");
  EXPECT_EQ(check(R"({"rootfs":"/r","runtime":"python","code":"1"})"), "runtime");
  EXPECT_EQ(check(R"({"rootfs":"/r","command":["x"],"temp":"t"})"), "temp");
  EXPECT_EQ(check(R"({"command":["x"],"mount":["/a:/b:ro"]})"), "mount");
  EXPECT_EQ(check(R"({"command":["x"],"readonly":true})"), "readonly");
  EXPECT_EQ(check(R"({"command":["x"],"cwd":"w"})"), "cwd");
  EXPECT_EQ(check(R"({"command":["x"],"cwd":"/w/.."})"), "cwd");
  EXPECT_EQ(check(R"({"command":["x"],"hostname":"a b"})"), "hostname");
  EXPECT_EQ(check(R"({"command":["x"],"hostname":"-a"})"), "hostname");
}

// Front ends may fill in a Request by hand.
TEST(CheckRequest, RefusesTextsThatNoPlanCouldCarry) {
  Request request;
  request.command = {"x", "\xff"};
  EXPECT_EQ(problem(check_request(request)), "bad_value command: is not valid UTF-8");
  request.command = {std::string("x\0y", 3)};
  EXPECT_EQ(problem(check_request(request)), "bad_value command: contains a NUL byte");
  request.command = {std::string(200'000, 'x')};
  EXPECT_EQ(problem(check_request(request)), "bad_value command: is longer than 131071 bytes");
  request.command = {"x"};
  request.env = {{"A=B", "1"}};
  EXPECT_FALSE(check_request(request));
  request.env = {{"A", std::string("\0", 1)}};
  EXPECT_EQ(problem(check_request(request)), "bad_value env A: contains a NUL byte");
  request.env.clear();
  request.stdin_open = true;
  request.stdin_text = "x";
  EXPECT_EQ(problem(check_request(request)), "conflict stdin: is given as text and as a stream");
}

}  // namespace
}  // namespace cocoon
