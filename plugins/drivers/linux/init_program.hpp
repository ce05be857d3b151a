// The init program as a descriptor to execute: a sealed copy in memory, so that no path on the host leads to it.
#pragma once

#include <cocoon/result.hpp>

namespace cocoon::linux_driver {

// Made at the first call and kept for the life of the process. Close-on-exec, numbered above 9. Thread-safe.
Result<int> init_program();

}  // namespace cocoon::linux_driver
