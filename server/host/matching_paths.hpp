// Paths of this host that a pattern stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

// Those of "/etc/java-*-openjdk" that exist, sorted: * stands for any characters of one name, and for no dot at its
// beginning. Thread-safe.
std::vector<std::string> matching_paths(std::string_view pattern);

}  // namespace cocoon
