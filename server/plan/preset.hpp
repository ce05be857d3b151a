// Preset: a runtime as data, the JSON that a runtime plugin carries (schema/preset.schema.json).
#pragma once

#include <cocoon/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon {

// In argv and env texts: {exe} the interpreter, {code} the snippet, {file} the script's path inside, {scratch} the
// run's private scratch folder, {home} HOME inside, {heap_mib} and {heap_bytes} the part of the memory limit that the
// runtime's own heap may take.
struct Preset {
  std::string name;
  std::string title;  // for people: "Python"
  std::vector<std::string> aliases;
  std::vector<std::string> find;  // program names looked up in the caller's PATH, first hit wins

  // A command whose JSON output becomes an Interpreter; {exe} is the program found. Empty: the program itself.
  std::vector<std::string> discover;
  std::vector<std::string> discover_env;  // environment variables on which the answer depends
  // Files likewise: a NAME is looked for from the current directory upwards, ~/PATH and $VARIABLE/PATH lie where they say.
  std::vector<std::string> discover_files;

  // The folder above the program's bin folder is its installation, and shown. Only a version manager's stand-in for the
  // program is then asked by discover.
  bool prefix = false;
  std::vector<std::string> needs;    // host paths that it reads where they exist; * stands for any part of a name
  std::vector<std::string> version;  // a command that prints the version, where discover does not; only for people

  std::vector<std::string> snippet;  // argv for code given as text
  std::string snippet_file;         // name of the file that a long snippet (or any, where snippet is empty) is put into
  std::string snippet_start;        // what every file of the language starts with: put before a snippet that does not
  std::vector<std::string> script;  // argv for a script file; its arguments follow
  std::vector<std::pair<std::string, std::string>> env;
  bool memory_rlimit = false;          // lives with RLIMIT_DATA
  std::uint32_t heap_percent = 75;     // of the memory limit: {heap_mib}
  std::uint32_t least_memory_mib = 0;  // below this limit it can't even start
  std::string install;                 // how to get it, one line
};

Result<Preset> parse_preset(std::string_view json);

}  // namespace cocoon
