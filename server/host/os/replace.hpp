// Becoming another program.
#pragma once

#include <cocoon/result.hpp>

#include <string>
#include <vector>

namespace cocoon::os {

// Goes on as the program at path, in the same process; returns only where that fails. argv: without its name at [0],
// which is name.
Error replace_program(const std::string& path, const std::string& name, const std::vector<std::string>& arguments);

}  // namespace cocoon::os
