// Probe: what this host offers to the driver, as Facts.
#pragma once

#include <cstdint>
#include <string>

namespace cocoon::linux_driver {

struct Probe {
  std::int32_t score = 0;
  std::string facts_json;  // schema/facts.schema.json, the part of one driver
};

// thorough: also starts a real sandbox with every layer and says what came of it. Thread-safe.
Probe probe(bool thorough);

}  // namespace cocoon::linux_driver
