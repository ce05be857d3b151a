// Fuzzer: request JSON, from text to plan.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cocoon;
  const auto request = parse_request({reinterpret_cast<const char*>(data), size});
  if (!request) return fuzz::demand_good(request.error()), 0;
  Preset preset;
  preset.name = "it";
  preset.snippet = {"{exe}", "-c", "{code}"};
  preset.script = {"{exe}", "{file}"};
  preset.snippet_file = "it.txt";
  fuzz::plan_it(*request, &preset);
  return 0;
}
