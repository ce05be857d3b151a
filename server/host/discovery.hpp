// Finds the interpreter of a runtime on this host, as its preset says.
#pragma once

#include "plan/facts.hpp"
#include "plan/preset.hpp"

#include <cocoon/result.hpp>

#include <string>
#include <vector>

namespace cocoon {

// Where guests may have written, as real paths. What lies there is never started on the host, outside of every sandbox,
// just to ask it (Error "untrusted_interpreter").
struct GuestFolders {
  std::vector<std::string> granted;  // to this request's guest; no file of them may even choose what is started
  std::vector<std::string>
      project;  // to others, as is that of the current directory; files may name the version to start

  std::vector<std::string> all() const {
    std::vector<std::string> folders = granted;
    folders.insert(folders.end(), project.begin(), project.end());
    return folders;
  }
};

// cwd is the caller's, real. A found answer is remembered on disk,
// so that the next run does not start the interpreter just to ask it. Thread-safe.
Result<Interpreter> find_interpreter(const Preset& preset, const std::string& cwd, const GuestFolders& guests);

// What the preset's version command says; empty: it has none, or nothing like a version came out. For people: no run
// depends on it. Starts the interpreter, unless a guest may have made it. Thread-safe.
std::string ask_version(const Preset& preset, const Interpreter& interpreter, const GuestFolders& guests);

}  // namespace cocoon
