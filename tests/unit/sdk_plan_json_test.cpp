// Plan JSON: nothing is lost on the way to a driver, and nothing reaches it that it could not rely on.
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cocoon {
namespace {

using Json = nlohmann::ordered_json;

// Every field has a value that is not its default.
Plan full_plan() {
  Plan plan;
  plan.driver = "linux";
  plan.require = {"landlock", "memory"};
  Stage stage;
  stage.name = "python";
  stage.executable = "/usr/bin/python3";
  stage.argv = {"python3", "-c", "print('ü')\n", ""};
  stage.env = {{"Z", "1"}, {"A", "a=b"}, {"EMPTY", ""}};
  stage.cwd = "/work";
  stage.stdin_open = true;
  stage.init = false;
  stage.namespaces = {"user", "net"};
  stage.identity = {1, 2, 3, 4};
  stage.hostname = "box";
  stage.network = Network::host;
  stage.root = {"/bundle/rootfs", true};
  Mount bind;
  bind.kind = MountKind::bind;
  bind.target = "/data";
  bind.source = "/host/my data";
  bind.writable = bind.device = bind.optional = true;
  Mount tmpfs;
  tmpfs.kind = MountKind::tmpfs;
  tmpfs.target = "/tmp";
  tmpfs.mode = 01777;
  tmpfs.size_kib = 18'446'744'073'709'551'615U;
  tmpfs.inodes = 7;
  Mount file;
  file.kind = MountKind::file;
  file.target = "/etc/motd";
  file.content = std::string("two\nlines\0and a NUL", 19);
  Mount link;
  link.kind = MountKind::symlink;
  link.target = "/bin";
  link.source = "usr/bin";
  stage.mounts = {bind, tmpfs, file, link};
  for (const MountKind kind :
       {MountKind::directory, MountKind::proc, MountKind::devpts, MountKind::mask, MountKind::remount_ro}) {
    Mount mount;
    mount.kind = kind;
    mount.target = "/x";
    stage.mounts.push_back(mount);
  }
  stage.workspace = "/work";
  stage.copies = {{"/host/a", "b"}};
  stage.protected_paths = {".git/hooks", ".envrc"};
  stage.no_new_privs = stage.drop_capabilities = false;
  stage.landlock_abi = 6;
  stage.landlock_writable = {"/work", "/tmp"};
  stage.seccomp = "default";
  stage.limits = {1, 2, 3, 4, 5, 6, 7, true, Enforcer::cgroup1, Enforcer::rlimit, "/cg/m", "/cg/p"};
  plan.stages = {stage, stage};
  plan.stages[1].argv = {"second"};
  return plan;
}

TEST(PlanJson, CarriesEveryFieldThereAndBack) {
  const Plan plan = full_plan();
  const std::string text = to_json(plan);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto again = parse_plan(text);
  ASSERT_TRUE(again) << error_json(again.error());
  EXPECT_EQ(to_json(*again), text);
  const Stage& stage = again->stages[0];
  EXPECT_EQ(again->require, plan.require);
  EXPECT_EQ(stage.env, plan.stages[0].env);
  EXPECT_EQ(stage.argv, plan.stages[0].argv);
  EXPECT_EQ(stage.mounts, plan.stages[0].mounts);
  EXPECT_EQ(stage.copies, plan.stages[0].copies);
  EXPECT_EQ(stage.identity.gid_outside, 4U);
  EXPECT_EQ(stage.network, Network::host);
  EXPECT_TRUE(stage.root.writable);
  EXPECT_FALSE(stage.init);
  EXPECT_FALSE(stage.no_new_privs);
  EXPECT_EQ(stage.limits.output_bytes, 7U);
  EXPECT_EQ(stage.limits.memory_by, Enforcer::cgroup1);
  EXPECT_EQ(stage.limits.pids_by, Enforcer::rlimit);
  EXPECT_EQ(stage.limits.pids_cgroup, "/cg/p");
  EXPECT_EQ(again->stages[1].argv, std::vector<std::string>{"second"});
}

TEST(PlanJson, GivesDefaultsBackForWhatIsLeftOut) {
  const auto plan = parse_plan(R"({"version":1,"driver":"d","stages":[{"argv":["a"],"cwd":"/",
                                   "mounts":[{"kind":"directory","target":"/d"}]}]})");
  ASSERT_TRUE(plan);
  const Stage& stage = plan->stages[0];
  const Stage fallback;
  EXPECT_EQ(stage.init, fallback.init);
  EXPECT_TRUE(stage.no_new_privs);
  EXPECT_TRUE(stage.drop_capabilities);
  EXPECT_EQ(stage.network, Network::none);
  EXPECT_EQ(stage.limits.timeout_ms, 30'000U);
  EXPECT_EQ(stage.mounts[0].mode, 0755U);
  EXPECT_FALSE(stage.mounts[0].writable);
}

// Changes one value of a good plan and returns the error's place; empty: it was accepted.
std::string place_of_error(const std::string& pointer, const Json& value) {
  Json json = Json::parse(to_json(full_plan()));
  json[Json::json_pointer(pointer)] = value;
  const auto plan = parse_plan(json.dump());
  return plan ? "" : plan.error().where;
}

TEST(PlanJson, RefusesWhatADriverCouldNotRelyOn) {
  EXPECT_EQ(place_of_error("/version", 2), "plan.version");
  EXPECT_EQ(place_of_error("/stages", Json::array()), "plan.stages");
  EXPECT_EQ(place_of_error("/stages/1/argv", Json::array()), "plan.stages[1].argv");
  EXPECT_EQ(place_of_error("/stages/0/argv/1", Json(std::string("a\0b", 3))), "plan.stages[0].argv[1]");
  EXPECT_EQ(place_of_error("/stages/0/cwd", "work"), "plan.stages[0].cwd");
  EXPECT_EQ(place_of_error("/stages/0/cwd", "/work/../etc"), "plan.stages[0].cwd");
  EXPECT_EQ(place_of_error("/stages/0/env/A=B", "x"), "plan.stages[0].env");
  EXPECT_EQ(place_of_error("/stages/0/env/", "x"), "plan.stages[0].env");
  EXPECT_EQ(place_of_error("/stages/0/namespaces/0", "time"), "plan.stages[0].namespaces");
  EXPECT_EQ(place_of_error("/stages/0/network", "bridge"), "plan.stages[0].network");
  EXPECT_EQ(place_of_error("/stages/0/root/rootfs", "bundle"), "plan.stages[0].root.rootfs");
  EXPECT_EQ(place_of_error("/stages/0/mounts/0/kind", "overlay"), "plan.stages[0].mounts[0].kind");
  EXPECT_EQ(place_of_error("/stages/0/mounts/0/source", "rel"), "plan.stages[0].mounts[0].source");
  EXPECT_EQ(place_of_error("/stages/0/mounts/0/source", "/a//b"), "plan.stages[0].mounts[0].source");
  EXPECT_EQ(place_of_error("/stages/0/mounts/1/target", "/tmp/"), "plan.stages[0].mounts[1].target");
  EXPECT_EQ(place_of_error("/stages/0/mounts/1/mode", 010000), "plan.stages[0].mounts[1].mode");
  EXPECT_EQ(place_of_error("/stages/0/copies/0/name", "a/b"), "plan.stages[0].copies[0].name");
  EXPECT_EQ(place_of_error("/stages/0/copies/0/name", ".."), "plan.stages[0].copies[0].name");
  EXPECT_EQ(place_of_error("/stages/0/protected_paths/0", "../x"), "plan.stages[0].protected_paths");
  EXPECT_EQ(place_of_error("/stages/0/protected_paths/0", "/x"), "plan.stages[0].protected_paths");
  EXPECT_EQ(place_of_error("/stages/0/landlock_writable/0", "tmp"), "plan.stages[0].landlock_writable");
  EXPECT_EQ(place_of_error("/stages/0/limits/timeout_ms", 0), "plan.stages[0].limits.timeout_ms");
  EXPECT_EQ(place_of_error("/stages/0/limits/memory_by", "magic"), "plan.stages[0].limits.memory_by");
  EXPECT_EQ(place_of_error("/stages/0/limits/pids", -1), "plan.stages[0].limits.pids");
  EXPECT_EQ(place_of_error("/stages/0/limits/extra", 1), "plan.stages[0].limits.extra");
  EXPECT_EQ(place_of_error("/stages/0/hostname", "fine"), "");
}

TEST(PlanJson, NeedsAWorkspaceForCopies) {
  Json json = Json::parse(to_json(full_plan()));
  json["stages"][0].erase("workspace");
  const auto plan = parse_plan(json.dump());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().where, "plan.stages[0].copies");
}

}  // namespace
}  // namespace cocoon
