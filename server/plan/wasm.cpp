// The planner as a WebAssembly module: the playground's planner is the program's own. Only built there; its link also
// proves that nothing in plan/ reaches for the operating system.
#include "plan/planner.hpp"

#include <cocoon/outcome.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cocoon {
namespace {

std::string& result() {
  static std::string text;
  return text;
}

// One preset, or a list with one (or null) for each step of a pipeline.
Result<std::vector<std::optional<Preset>>> read_presets(std::string_view text) {
  std::vector<std::optional<Preset>> presets;
  const auto add = [&](std::string_view one) -> Result<void> {
    auto parsed = parse_preset(one);
    if (!parsed) return Unexpected<Error>{std::move(parsed.error())};
    presets.emplace_back(std::move(*parsed));
    return {};
  };
  if (text.starts_with('[')) {
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (list.is_discarded()) return fail("bad_syntax", "is not JSON", "presets");
    for (const auto& item : list) {
      if (item.is_null()) {
        presets.emplace_back();
      } else if (auto added = add(item.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)); !added) {
        return Unexpected<Error>{std::move(added.error())};
      }
    }
  } else if (!text.empty()) {
    if (auto added = add(text); !added) return Unexpected<Error>{std::move(added.error())};
  }
  return presets;
}

Result<std::string> plan_text(std::string_view source, bool is_conf, std::string_view preset_text,
                              std::string_view facts_text) {
  auto request = is_conf ? parse_conf(source, "/bundle") : parse_request(source);
  if (!request) return Unexpected<Error>{std::move(request.error())};
  auto facts = parse_facts(facts_text);
  if (!facts) return Unexpected<Error>{std::move(facts.error())};
  auto presets = read_presets(preset_text);
  if (!presets) return Unexpected<Error>{std::move(presets.error())};
  std::vector<const Preset*> chosen;
  for (const std::optional<Preset>& preset : *presets) chosen.push_back(preset ? &*preset : nullptr);
  auto plan = make_plan(*request, chosen, *facts, Policy{});
  if (!plan) return Unexpected<Error>{std::move(plan.error())};
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const PlanStep& step : explain(*plan)) steps.push_back({{"phase", step.phase}, {"text", step.text}});
  return "{\"plan\":" + to_json(*plan) +
         ",\"steps\":" + steps.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "}";
}

}  // namespace
}  // namespace cocoon

// Strings cross as UTF-8 bytes in the module's memory: the page gets room with cocoon_alloc, writes into it, calls
// cocoon_plan, reads cocoon_result and gives the room back.
extern "C" {

__attribute__((export_name("cocoon_alloc"))) char* cocoon_alloc(std::size_t size) { return new char[size]; }

__attribute__((export_name("cocoon_free"))) void cocoon_free(char* memory) { delete[] memory; }

// source is cocoon.conf where is_conf is not 0, and request JSON otherwise; preset is one, or a list
// with one or null for each step of a pipeline; it may be empty. Returns the length of
// the result, {"plan": ..., "steps": [{"phase","text"}...]} or {"error": ...}, which stays until the next call.
__attribute__((export_name("cocoon_plan"))) std::size_t cocoon_plan(const char* source, std::size_t source_length,
                                                                    std::int32_t is_conf, const char* preset,
                                                                    std::size_t preset_length, const char* facts,
                                                                    std::size_t facts_length) {
  auto text = cocoon::plan_text({source, source_length}, is_conf != 0, {preset, preset_length}, {facts, facts_length});
  cocoon::result() = text ? std::move(*text) : "{\"error\":" + cocoon::error_json(text.error()) + "}";
  return cocoon::result().size();
}

__attribute__((export_name("cocoon_result"))) const char* cocoon_result() { return cocoon::result().data(); }
}
