// What this process takes of the machine's memory.
#pragma once

#include <cstdint>

namespace cocoon::os {

std::uint64_t resident_bytes();  // 0: the system does not tell

}  // namespace cocoon::os
