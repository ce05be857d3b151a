// The planner's cases in tests/golden/cases: what is asked for, on which host, and what has to come out.
#include "support/plan_cases.hpp"

#include "support/files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>

namespace cocoon::test {
namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path golden() { return source_folder() / "tests" / "golden"; }

Policy read_policy(const Json& json) {
  Policy policy;
  policy.host_network = json.value("host_network", true);
  policy.max_timeout_ms = json.value("max_timeout_ms", std::uint64_t{0});
  policy.max_memory_kib = json.value("max_memory_kib", std::uint64_t{0});
  policy.max_pids = json.value("max_pids", std::uint64_t{0});
  policy.max_output_bytes = json.value("max_output_bytes", std::uint64_t{0});
  policy.max_disk_kib = json.value("max_disk_kib", std::uint64_t{0});
  return policy;
}

PlanCase load(const std::string& name) {
  PlanCase each;
  each.name = name;
  const auto conf = cases_folder() / (name + ".conf");
  each.is_conf = std::filesystem::exists(conf);
  each.source = read_file(each.is_conf ? conf : cases_folder() / (name + ".request.json"));
  Json facts = Json::parse(read_file(cases_folder() / (name + ".facts.json")));
  if (facts.contains("policy")) each.policy = read_policy(facts["policy"]);
  Json host = Json::parse(read_file(golden() / "hosts" / (facts["host"].get<std::string>() + ".json")));
  facts.erase("host");
  facts.erase("policy");
  host.update(facts);
  each.facts = host.dump();
  if (!each.is_conf) {
    const Json request = Json::parse(each.source);
    const auto add = [&](const Json& from) {
      const std::string runtime = from.is_object() ? from.value("runtime", "") : "";
      each.presets.push_back(runtime.empty() ? "" : read_file(golden() / "presets" / (runtime + ".json")));
    };
    if (!request.contains("steps")) add(request);
    if (request.contains("steps"))
      for (const Json& step : request["steps"]) add(step);
  }
  return each;
}

}  // namespace

std::filesystem::path cases_folder() { return golden() / "cases"; }

std::vector<PlanCase> load_cases() {
  constexpr std::string_view ending = ".facts.json";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder())) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  std::vector<PlanCase> cases;
  cases.reserve(names.size());
  for (const std::string& name : names) cases.push_back(load(name));
  return cases;
}

Result<Plan> run_case(const PlanCase& each) {
  auto request = each.is_conf ? parse_conf(each.source, "/bundle") : parse_request(each.source);
  if (!request) return Unexpected<Error>{request.error()};
  auto facts = parse_facts(each.facts);
  if (!facts) return Unexpected<Error>{facts.error()};
  std::deque<Preset> parsed_presets;
  std::vector<const Preset*> presets;
  for (const std::string& text : each.presets) {
    presets.push_back(nullptr);
    if (text.empty()) continue;
    auto parsed = parse_preset(text);
    if (!parsed) return Unexpected<Error>{parsed.error()};
    presets.back() = &parsed_presets.emplace_back(std::move(*parsed));
  }
  return make_plan(*request, presets, *facts, each.policy);
}

}  // namespace cocoon::test
