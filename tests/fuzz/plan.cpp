// Fuzzer: plan JSON, as a driver gets it.
#include "fuzz.hpp"

#include <cocoon/outcome.hpp>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cocoon;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto outcome = parse_outcome(text)) {
    const auto again = parse_outcome(to_json(*outcome));
    fuzz::demand(again && to_json(*again) == to_json(*outcome), "an outcome goes there and back");
  }
  const auto plan = parse_plan(text);
  if (!plan) return fuzz::demand_good(plan.error()), 0;
  const std::string written = to_json(*plan);
  const auto again = parse_plan(written);
  fuzz::demand(again.has_value(), "what was parsed and written is parsed again", written);
  fuzz::demand(to_json(*again) == written, "a plan goes there and back", written);
  fuzz::demand(!explain(*plan).empty(), "every plan can be told");
  return 0;
}
