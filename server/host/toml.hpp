// TOML files, as the JSON that stands for the same.
#pragma once

#include <cocoon/result.hpp>

#include <string>
#include <string_view>

namespace cocoon {

// Errors carry "line N". Dates and times have nothing that stands for them and are refused. Thread-safe.
Result<std::string> toml_to_json(std::string_view text);

}  // namespace cocoon
