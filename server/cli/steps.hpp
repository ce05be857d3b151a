// The steps of a pipeline on the command line: each as "RUNTIME:CODE" or "RUNTIME:@FILE", or all of them in a file.
#pragma once

#include "plan/request.hpp"

#include <cocoon/result.hpp>

#include <string>
#include <string_view>

namespace cocoon::cli {

// where names the flag in errors.
Result<Request> parse_step(std::string_view text, std::string_view where);

// Whether path is a file that read_pipeline_file may be tried on.
bool is_pipeline_file(const std::string& path);

// Request JSON with steps; TOML with the same keys where the name ends in ".toml". Errors name the file.
Result<Request> read_pipeline_file(const std::string& path);

}  // namespace cocoon::cli
