// What holds for every plan, whatever the combination: the guest sees and may change exactly what was asked for.
#include "plan/planner.hpp"
#include "support/plan_cases.hpp"

#include <cocoon/lexical.hpp>
#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace cocoon::test {
namespace {

Facts host() {
  Facts facts;
  facts.uid = facts.gid = 1000;
  facts.cwd = "/d";
  facts.driver.name = "linux";
  facts.driver.usable = true;
  facts.driver.landlock_abi = 6;
  facts.driver.system = {{"/usr", PathKind::directory, ""}, {"/bin", PathKind::file, "usr/bin"}};
  return facts;
}

void add_folder(Facts& facts, const std::string& path) {
  facts.paths.push_back({path, path, path, PathKind::directory, true, false});
}

enum class Right { hidden, read, write };

// What the kernel does with the mounts: the last one that covers a path decides, and what is beneath it is gone.
Right right_at(const Plan& plan, const std::string& path) {
  Right right = Right::hidden;
  for (const Mount& mount : plan.stages[0].mounts)
    if (mount.kind == MountKind::bind && is_within(path, mount.target)) {
      EXPECT_EQ(mount.source, mount.target);
      right = mount.writable ? Right::write : Right::read;
    }
  return right;
}

// The rule people are told: the deepest mention of a path decides.
Right right_asked(const Request& request, const std::string& path) {
  Right right = is_within(path, "/usr") ? Right::read : Right::hidden;
  std::size_t depth = 0;
  const auto mention = [&](const std::string& place, Right gives) {
    if (place.empty() || !is_within(path, place) || place.size() < depth) return;
    // Writable wins at its own path.
    right = place.size() == depth ? std::max(right, gives) : gives;
    depth = place.size();
  };
  for (const std::string& place : request.ro) mention(place, Right::read);
  if (request.ro.empty()) mention("/d", Right::read);
  mention(request.work, Right::write);
  mention(request.temp, Right::write);
  return right;
}

const std::array<std::string, 7> places = {"/d", "/d/a", "/d/a/b", "/d/a/b/c", "/dd", "/usr/local/x", "/tmp/y"};

TEST(Planner, LetsTheDeepestMentionOfAPathDecide) {
  Facts facts = host();
  for (const std::string& place : places) add_folder(facts, place);
  std::size_t plans = 0;
  for (unsigned ro = 0; ro < 1U << places.size(); ++ro)
    for (std::size_t work = 0; work <= places.size(); ++work)
      for (std::size_t temp = 0; temp <= places.size(); temp += 2) {
        Request request;
        request.command = {"x"};
        for (std::size_t i = 0; i < places.size(); ++i)
          if ((ro >> i & 1U) != 0) request.ro.push_back(places[i]);
        if (work < places.size()) request.work = places[work];
        if (temp < places.size()) request.temp = places[temp];
        const auto plan = make_plan(request, nullptr, facts, Policy{});
        const auto contradicts = [&](const std::string& place) {
          return std::find(request.ro.begin(), request.ro.end(), place) != request.ro.end();
        };
        if (contradicts(request.work) || contradicts(request.temp)) {
          ASSERT_FALSE(plan);
          EXPECT_EQ(plan.error().code, "conflict");
          continue;
        }
        ASSERT_TRUE(plan) << error_json(plan.error());
        ++plans;
        for (const std::string& place : places)
          for (const char* below : {"", "/file"})
            ASSERT_EQ(right_at(*plan, place + below), right_asked(request, place + below)) << place << below << "\n"
                                                                                           << to_json(*plan, 1);
      }
  EXPECT_GT(plans, 1000U);
}

TEST(Planner, MountsParentsBeforeChildrenAndNothingTwice) {
  for (const PlanCase& each : load_cases()) {
    const auto plan = run_case(each);
    if (!plan) continue;
    const auto& mounts = plan->stages[0].mounts;
    for (std::size_t later = 0; later < mounts.size(); ++later)
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        // Something mounted over an earlier step would make that step useless, or undo it.
        EXPECT_FALSE(is_within(mounts[earlier].target, mounts[later].target))
            << each.name << ": " << mounts[later].target << " covers " << mounts[earlier].target;
      }
  }
}

TEST(Planner, MakesPlacesWritableForAReasonOnly) {
  for (const PlanCase& each : load_cases()) {
    const auto plan = run_case(each);
    if (!plan) continue;
    const Stage& stage = plan->stages[0];
    for (const Mount& mount : stage.mounts) {
      if (!mount.writable || mount.device || mount.kind == MountKind::tmpfs) continue;
      ASSERT_EQ(mount.kind, MountKind::bind);
      const bool in_work = !stage.workspace.empty() && is_within(mount.target, stage.workspace);
      const bool asked = each.source.find("temp") != std::string::npos || each.source.find(":rw") != std::string::npos;
      EXPECT_TRUE(in_work || asked) << each.name << ": " << mount.target;
    }
    // The second wall allows no more than the first.
    for (const std::string& place : stage.landlock_writable) {
      if (place == "/") {
        EXPECT_TRUE(stage.root.writable) << each.name;
        continue;
      }
      const auto allows = [&](const Mount& mount) { return mount.writable || mount.kind == MountKind::devpts; };
      if (place == "/dev") {
        // One rule for all of a folder of ours that is itself read-only.
        EXPECT_TRUE(stage.root.rootfs.empty()) << each.name;
        for (const Mount& mount : stage.mounts)
          EXPECT_TRUE(!is_within(mount.target, place) || mount.kind == MountKind::symlink || allows(mount))
              << each.name << ": " << mount.target;
        continue;
      }
      EXPECT_TRUE(std::any_of(stage.mounts.begin(), stage.mounts.end(),
                              [&](const Mount& mount) { return mount.target == place && allows(mount); }))
          << each.name << ": " << place;
    }
  }
}

TEST(Planner, NeverShowsTheHostsProcOrDevices) {
  for (const PlanCase& each : load_cases()) {
    const auto plan = run_case(each);
    if (!plan) continue;
    for (const Mount& mount : plan->stages[0].mounts) {
      if (mount.kind != MountKind::bind || mount.device) continue;
      for (const char* folder : {"/proc", "/sys", "/dev"}) EXPECT_FALSE(is_within(mount.source, folder)) << each.name;
      EXPECT_NE(mount.source, "/") << each.name;
    }
  }
}

TEST(Planner, ProtectsWithoutCreatingAndPinsWhatHoldsIt) {
  Facts facts = host();
  add_folder(facts, "/d/w");
  facts.protected_existing = {".git/hooks", ".bashrc", "not-a-protected-name"};
  Request request;
  request.command = {"x"};
  request.work = "/d/w";
  auto plan = make_plan(request, nullptr, facts, Policy{});
  ASSERT_TRUE(plan);
  EXPECT_EQ(right_at(*plan, "/d/w/.git/hooks/pre-commit"), Right::read);
  EXPECT_EQ(right_at(*plan, "/d/w/.bashrc"), Right::read);
  EXPECT_EQ(right_at(*plan, "/d/w/.git/HEAD"), Right::write);
  EXPECT_EQ(right_at(*plan, "/d/w/not-a-protected-name"), Right::write);
  const auto& mounts = plan->stages[0].mounts;
  EXPECT_TRUE(std::any_of(mounts.begin(), mounts.end(), [](const Mount& m) { return m.target == "/d/w/.git"; }));
  const auto& watched = plan->stages[0].protected_paths;
  EXPECT_EQ(watched.size() + 3, protected_names().size());
  EXPECT_EQ(std::count(watched.begin(), watched.end(), ".git/config"), 1);
  EXPECT_EQ(std::count(watched.begin(), watched.end(), ".bashrc"), 0);

  request.allow_protected = true;
  plan = make_plan(request, nullptr, facts, Policy{});
  ASSERT_TRUE(plan);
  EXPECT_EQ(right_at(*plan, "/d/w/.bashrc"), Right::write);
  EXPECT_TRUE(plan->stages[0].protected_paths.empty());
}

TEST(Planner, FollowsNoLinkOutOfTheWorkFolder) {
  Facts facts = host();
  add_folder(facts, "/d/work");
  facts.paths.push_back({"/d/work/link", "/d/work/link", "/secrets", PathKind::directory, true, false});
  facts.paths.push_back({"/d/work/near", "/d/work/near", "/d/work/sub", PathKind::directory, true, false});
  Request request;
  request.command = {"true"};
  request.work = "/d/work";
  const auto refused = [&](const Request& asked) {
    const auto plan = make_plan(asked, nullptr, facts, {});
    return !plan && plan.error().message.find("symbolic link") != std::string::npos;
  };
  for (const auto field : {&Request::ro, &Request::copy}) {
    Request asked = request;
    (asked.*field).push_back("/d/work/link");
    EXPECT_TRUE(refused(asked));
  }
  Request asked = request;
  asked.temp = "/d/work/link";
  EXPECT_TRUE(refused(asked));
  asked.temp = "/d/work/near";
  EXPECT_FALSE(refused(asked));
}

TEST(Planner, PutsLongCodeIntoAFile) {
  Facts facts = host();
  facts.interpreter.emplace().executable = "/usr/bin/lua";
  Preset preset;
  preset.name = "lua";
  preset.snippet = {"{exe}", "-e", "{code}"};
  preset.script = {"{exe}", "{file}"};
  preset.snippet_file = "s.lua";
  Request request;
  request.runtime = "lua";
  request.code = std::string(96 * 1024, 'x');
  auto plan = make_plan(request, &preset, facts, Policy{});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stages[0].argv[2], *request.code);

  *request.code += "{exe}";
  plan = make_plan(request, &preset, facts, Policy{});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stages[0].argv, (std::vector<std::string>{"/usr/bin/lua", "/run/cocoon/s.lua"}));
  const auto& mounts = plan->stages[0].mounts;
  const auto file = std::find_if(mounts.begin(), mounts.end(),
                                 [](const Mount& mount) { return mount.target == "/run/cocoon/s.lua"; });
  ASSERT_NE(file, mounts.end());
  EXPECT_EQ(file->content, *request.code);
}

TEST(Planner, RefusesMoreThanTheOperatorAllowsAndLowersDefaults) {
  const Facts facts = host();
  Policy policy;
  policy.max_timeout_ms = 1000;
  policy.max_memory_kib = 65536;
  policy.max_pids = 16;
  policy.max_output_bytes = 1024;
  policy.max_disk_kib = 512;
  Request request;
  request.command = {"x"};
  const auto plan = make_plan(request, nullptr, facts, policy);
  ASSERT_TRUE(plan);
  const Limits& limits = plan->stages[0].limits;
  EXPECT_EQ(limits.timeout_ms, 1000U);
  EXPECT_EQ(limits.memory_kib, 65536U);
  EXPECT_EQ(limits.pids, 16U);
  EXPECT_EQ(limits.output_bytes, 1024U);
  std::uint64_t scratch_kib = 0;
  for (const Mount& mount : plan->stages[0].mounts)
    if (mount.target == "/tmp") scratch_kib = mount.size_kib;
  EXPECT_EQ(scratch_kib, 512U);

  const auto refused = [&](auto set) {
    Request asks = request;
    set(asks);
    const auto result = make_plan(asks, nullptr, facts, policy);
    return result ? std::string() : result.error().code + " " + result.error().where;
  };
  EXPECT_EQ(refused([](Request& r) { r.timeout_ms = 1001; }), "policy timeout");
  EXPECT_EQ(refused([](Request& r) { r.timeout_ms = 1000; }), "");
  EXPECT_EQ(refused([](Request& r) { r.memory_kib = 65537; }), "policy memory_max");
  EXPECT_EQ(refused([](Request& r) { r.pids = 17; }), "policy pids_max");
  EXPECT_EQ(refused([](Request& r) { r.output_bytes = 1025; }), "policy output_max");
  EXPECT_EQ(refused([](Request& r) { r.disk_kib = 513; }), "policy disk");
  // Nothing is no limit, and so more than any.
  EXPECT_EQ(refused([](Request& r) { r.timeout_ms = 0; }), "policy timeout");
  EXPECT_EQ(refused([](Request& r) { r.pids = 0; }), "policy pids_max");
  EXPECT_EQ(refused([](Request& r) { r.output_bytes = 0; }), "policy output_max");
  EXPECT_EQ(refused([](Request& r) { r.disk_kib = 0; }), "policy disk");
  EXPECT_NE(refused([](Request& r) { r.memory_kib = 0; }), "");
  policy.host_network = false;
  EXPECT_EQ(refused([](Request& r) { r.net = Network::host; }), "policy net");
  EXPECT_EQ(refused([](Request& r) { r.net = Network::none; }), "");
  // A profile is a set of defaults, and no way around a ceiling.
  EXPECT_EQ(refused([](Request& r) { r.profile = "build"; }), "");
}

TEST(Planner, WantsFactsAboutEveryPathOfTheRequest) {
  Request request;
  request.command = {"x"};
  request.ro = {"a", "b", "a"};
  request.work = "w";
  request.copy = {"c"};
  request.temp = "t";
  EXPECT_EQ(paths_to_resolve(request), (std::vector<std::string>{"a", "b", "w", "c", "t"}));
  for (const std::string& missing : paths_to_resolve(request)) {
    Facts facts = host();
    for (const std::string& given : paths_to_resolve(request))
      if (given != missing)
        facts.paths.push_back({given, "/x/" + given, "/x/" + given, PathKind::directory, true, false});
    const auto plan = make_plan(request, nullptr, facts, Policy{});
    ASSERT_FALSE(plan) << missing;
    EXPECT_EQ(plan.error().code, "path_unknown") << missing;
  }
}

TEST(Planner, LooksAtMountPointsWhereTheyAreOnTheHost) {
  const auto request = parse_conf("argv = a\nmount = /s:/m/x:ro\nmount = /p:/m:ro\nmount = /t:/tmp/t:ro\n", "/b");
  ASSERT_TRUE(request);
  EXPECT_EQ(paths_to_resolve(*request),
            (std::vector<std::string>{"/b/rootfs", "/s", "/p", "/t", "/b/rootfs/proc", "/b/rootfs/dev", "/b/rootfs/tmp",
                                      "/p/x", "/b/rootfs/m"}));
}

TEST(Planner, RefusesFactsThatAPlanCouldNotCarry) {
  Facts facts = host();
  facts.cwd = "/\xff";
  Request request;
  request.command = {"x"};
  EXPECT_FALSE(make_plan(request, nullptr, facts, Policy{}));
  facts.cwd = "/d";
  facts.paths.push_back({"r", "/r", "/\xff", PathKind::directory, true, false});
  request.ro = {"r"};
  const auto plan = make_plan(request, nullptr, facts, Policy{});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().where, "ro r");
}

TEST(Explain, TellsAPipelineOfOneStepAsSuch) {
  const Facts facts = host();
  Request request;
  request.command = {"x"};
  const auto run = make_plan(request, nullptr, facts, Policy{});
  ASSERT_TRUE(run);
  EXPECT_NE(explain(*run).front().phase, "pipeline");
  request.steps = {request};
  request.command.clear();
  const auto pipeline = make_plan(request, nullptr, facts, Policy{});
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  EXPECT_EQ(explain(*pipeline).front().phase, "pipeline");
}

TEST(Explain, TellsOneLineForEachStepWhateverIsInIt) {
  Request request;
  request.command = {"printf", "a\nb\x1b[31m", "it's"};
  const auto plan = make_plan(request, nullptr, host(), Policy{});
  ASSERT_TRUE(plan);
  const auto steps = explain(*plan);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back().phase, "exec");
  EXPECT_EQ(steps.back().text, R"(printf 'a\nb\x1b[31m' 'it'\''s')");
}

}  // namespace
}  // namespace cocoon::test
