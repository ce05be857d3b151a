// Finds the interpreter of a runtime on this host, as its preset says.
#pragma once

#include "plan/facts.hpp"
#include "plan/preset.hpp"

#include <cocoon/result.hpp>

#include <span>
#include <string>

namespace cocoon {

// cwd is the caller's, real. guest_folders are those that guests may write to, real: what lies there is never started
// here, outside of every sandbox, just to ask it (Error "untrusted_interpreter"). A found answer is remembered on disk,
// so that the next run does not start the interpreter just to ask it. Thread-safe.
Result<Interpreter> find_interpreter(const Preset& preset, const std::string& cwd,
                                     std::span<const std::string> guest_folders = {});

// What the preset's version command says; empty: it has none, or nothing like a version came out. For people: no run
// depends on it. Starts the interpreter. Thread-safe.
std::string ask_version(const Preset& preset, const Interpreter& interpreter);

}  // namespace cocoon
