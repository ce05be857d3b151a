// Loading shared objects, and the question whether one may be trusted.
#pragma once

#include <cocoon/result.hpp>

#include <string>
#include <string_view>

namespace cocoon::os {

// The file that this code was loaded from: the program, or the engine library inside another program. Real path.
Result<std::string> own_file();

// Refuses a file or folder that somebody other than root, the caller and the owner of own_file() can change, and the
// same for its parents up to and excluding trusted_above (a parent of it; "" = all of them). Code from such a place
// would run with the caller's rights. path must be real.
Result<void> check_trusted(const std::string& path, std::string_view trusted_above);

// Loads the shared object for the rest of the process's life and returns the address of symbol.
Result<void*> load_symbol(const std::string& path, const char* symbol);

}  // namespace cocoon::os
