// Random names that nobody can guess.
#pragma once

#include <string>

namespace cocoon::os {

// 32 hexadecimal digits from the system's source of randomness.
std::string random_name();

}  // namespace cocoon::os
