// Finds the interpreter of a runtime on this host, as its preset says.
#pragma once

#include "plan/facts.hpp"
#include "plan/preset.hpp"

#include <cocoon/result.hpp>

#include <string>

namespace cocoon {

// cwd is the caller's, real. A found answer is remembered on disk, so that the next run does not start the interpreter
// just to ask it. Thread-safe.
Result<Interpreter> find_interpreter(const Preset& preset, const std::string& cwd);

}  // namespace cocoon
