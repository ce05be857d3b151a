// What the planner needs to know about the protected files of a work folder.
#pragma once

#include "plan/facts.hpp"

#include <string>

namespace cocoon {

// Fills facts.protected_* and facts.repositories for the real path of a work folder. Repositories are looked for up to two
// folders below it, in a bounded number of folders; hidden ones and node_modules are left out.
void find_protected(const std::string& work, Facts& facts);

}  // namespace cocoon
