// Files of a work folder that programs execute or obey later, outside of any sandbox.
#pragma once

#include "plan/shown.hpp"

#include <string>
#include <vector>

namespace cocoon {

// Makes those that exist in the work folder read-only, and returns the names of the others, whose creation the Outcome
// is to tell. Nothing is ever created on the host to protect a path.
std::vector<std::string> protect(const std::string& work, const Facts& facts, Shown& shown);

}  // namespace cocoon
