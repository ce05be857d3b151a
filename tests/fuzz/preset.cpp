// Fuzzer: preset JSON, from text to the plan of a snippet and of a script.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cocoon;
  const auto preset = parse_preset({reinterpret_cast<const char*>(data), size});
  if (!preset) return fuzz::demand_good(preset.error()), 0;
  Request request;
  request.runtime = preset->name;
  request.code = "{file}{exe}";
  fuzz::plan_it(request, &*preset);
  request.code.reset();
  request.file = "script";
  request.args = {"{code}"};
  fuzz::plan_it(request, &*preset);
  return 0;
}
