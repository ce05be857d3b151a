// A loaded driver behind C++ types: the only place where the host calls a driver through the ABI.
#pragma once

#include "plan/facts.hpp"

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/result.hpp>

#include <string>
#include <string_view>

namespace cocoon {

// What the program offers to plugins: its version and its log. Static storage.
const cocoon_host* plugin_host();

// depth is COCOON_PROBE_*. An Error means that the driver broke its contract.
Result<DriverFacts> probe_driver(const cocoon_driver& driver, std::int32_t depth);

// Blocks until the run is over.
Result<Outcome> run_driver(const cocoon_driver& driver, std::string_view plan_json, const cocoon_run_io& io);

}  // namespace cocoon
