// Every case of tests/golden/cases gives exactly the plan or the error beside it. COCOON_UPDATE_GOLDEN=1 rewrites them;
// review the difference before you commit it.
#include "support/files.hpp"
#include "support/plan_cases.hpp"

#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace cocoon::test {
namespace {

class Golden : public testing::TestWithParam<PlanCase> {};

void compare(const std::filesystem::path& path, const std::string& actual) {
  if (std::getenv("COCOON_UPDATE_GOLDEN") != nullptr) return write_file(path, actual);
  EXPECT_EQ(read_file(path), actual) << "if this is meant: COCOON_UPDATE_GOLDEN=1";
}

void survives_the_way_to_a_driver(const Plan& plan) {
  const std::string text = to_json(plan);
  const auto again = parse_plan(text);
  ASSERT_TRUE(again) << error_json(again.error());
  EXPECT_EQ(to_json(*again), text);
}

// A person is told as much as a driver. Where the file exists, its text is pinned down as well.
void is_explained_step_by_step(const Plan& plan, const std::filesystem::path& path) {
  std::string text;
  for (const PlanStep& step : explain(plan)) {
    EXPECT_FALSE(step.phase.empty());
    EXPECT_EQ(step.text.find('\n'), std::string::npos);
    text += step.phase + ": " + step.text + "\n";
  }
  for (const Mount& mount : plan.stages.front().mounts)
    EXPECT_NE(text.find(" " + mount.target), std::string::npos) << mount.target;
  if (std::filesystem::exists(path)) compare(path, text);
}

TEST_P(Golden, GivesThePlanOrErrorBesideIt) {
  const PlanCase& each = GetParam();
  const auto plan_path = cases_folder() / (each.name + ".plan.json");
  const auto error_path = cases_folder() / (each.name + ".error.json");
  const auto plan = run_case(each);
  ASSERT_EQ(plan.has_value(), !each.name.starts_with("error-"))
      << (plan ? "a plan came out of a case of an error" : error_json(plan.error()));
  if (!plan) return compare(error_path, nlohmann::ordered_json::parse(error_json(plan.error())).dump(1) + "\n");
  compare(plan_path, to_json(*plan, 1) + "\n");
  survives_the_way_to_a_driver(*plan);
  is_explained_step_by_step(*plan, cases_folder() / (each.name + ".steps.txt"));
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(load_cases()), [](const auto& each) {
  std::string name = each.param.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

// A renamed or deleted case must not leave its result behind.
TEST(GoldenFolder, HoldsNoResultWithoutACase) {
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder())) {
    const std::string name = entry.path().filename().string();
    const std::string stem = name.substr(0, name.find('.'));
    cases += name.ends_with(".facts.json") ? 1 : 0;
    EXPECT_TRUE(std::filesystem::exists(cases_folder() / (stem + ".facts.json"))) << name;
    EXPECT_NE(std::filesystem::exists(cases_folder() / (stem + ".conf")),
              std::filesystem::exists(cases_folder() / (stem + ".request.json")))
        << stem;
  }
  EXPECT_GE(cases, 30U);
}

}  // namespace
}  // namespace cocoon::test
