// Files of a work folder that programs execute or obey later, outside of any sandbox.
#pragma once

#include "plan/shown.hpp"

#include <string>
#include <vector>

namespace cocoon {

// Relative to the work folder; the Outcome is to tell what the run made of these.
struct Protection {
  std::vector<std::string> watched;  // not there: created
  std::vector<std::string> kept;     // there, and the guest can put something else in its place: replaced
};

// Makes those that exist in the work folder read-only. Nothing is ever created on the host to protect a path.
Protection protect(const std::string& work, const Facts& facts, Shown& shown);

}  // namespace cocoon
