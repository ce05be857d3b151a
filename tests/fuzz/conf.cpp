// Fuzzer: cocoon.conf, from text to plan.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cocoon;
  const auto request = parse_conf({reinterpret_cast<const char*>(data), size}, "/bundle");
  if (!request) return fuzz::demand_good(request.error()), 0;
  fuzz::demand(!request->command.empty(), "a conf that is accepted runs something");
  fuzz::plan_it(*request, nullptr);
  return 0;
}
