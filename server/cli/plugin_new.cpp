// cocoon plugin new: writes the project of a new runtime plugin, which builds and passes its own test as it is.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/console.hpp"
#include "host/os/paths.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <array>

namespace cocoon::cli {
namespace {

struct Template {
  std::string_view path;
  std::string_view text;  // @NAME@ is the plugin's name
};

constexpr std::array kRuntimeProject = {
    Template{"CMakeLists.txt", R"txt(# The runtime plugin "@NAME@" for Cocoon.
#   cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure
cmake_minimum_required(VERSION 3.25)
project(cocoon-runtime-@NAME@ VERSION 0.1.0 LANGUAGES C)

find_package(cocoon REQUIRED)
cocoon_add_plugin(runtimes @NAME@ @NAME@.c)

include(GNUInstallDirs)
install(TARGETS cocoon_runtimes_@NAME@ LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cocoon/runtimes)

# The test asks the program itself: the plugin is loaded, its preset is understood, and a snippet becomes a plan.
find_program(COCOON_PROGRAM cocoon HINTS ${cocoon_BIN_DIR} REQUIRED)
enable_testing()
add_test(NAME @NAME@ COMMAND ${COCOON_PROGRAM} plan --plugin-dir $<TARGET_FILE_DIR:cocoon_runtimes_@NAME@>
                             --driver dryrun --runtime @NAME@ -c "print(1)" --json)
set_tests_properties(@NAME@ PROPERTIES PASS_REGULAR_EXPRESSION "\"name\":\"@NAME@\"")
)txt"},
    Template{
        "@NAME@.c",
        R"txt(/* The runtime "@NAME@": how the language is found and started, as data. README.md explains each key. */
#include <cocoon/abi.h>

static const cocoon_runtime runtime = {
    sizeof(cocoon_runtime), "@NAME@",
    "{"
    "\"name\": \"@NAME@\","
    "\"title\": \"@NAME@\","
    /* Programs looked for in PATH, the first hit wins. sh is everywhere: put your language's interpreter here. */
    "\"find\": [\"sh\"],"
    /* How a snippet is started, and how a script. */
    "\"snippet\": [\"{exe}\", \"-c\", \"{code}\"],"
    "\"snippet_file\": \"main.@NAME@\","
    "\"script\": [\"{exe}\", \"{file}\"],"
    /* Caches and the like go where they are gone after the run. */
    "\"env\": {\"@VARIABLE@_CACHE\": \"{scratch}/@NAME@\"},"
    /* false for what reserves more memory than it uses: V8, Go, the JVM. */
    "\"memory_rlimit\": true,"
    "\"install\": \"say here how to get it\""
    "}"};

static const cocoon_plugin plugin = {sizeof(cocoon_plugin), COCOON_PLUGIN_VERSION, &runtime, NULL};

const cocoon_plugin* cocoon_plugin_v1(void) { return &plugin; }
)txt"},
    Template{"README.md", R"txt(# The runtime "@NAME@" for Cocoon

    cmake -B build
    cmake --build build
    ctest --test-dir build --output-on-failure
    cocoon run --plugin-dir $PWD/build --runtime @NAME@ -c 'echo hello'

`cmake --install build` puts the plugin where Cocoon finds it by itself (with the same prefix as Cocoon's own).

The preset in `@NAME@.c`:

| key | meaning |
|---|---|
| `find` | names of the interpreter, looked for in the caller's PATH |
| `discover` | a command, `{exe}` being the program found, that prints `{"executable": PATH, "version": TEXT, "directories": [PATH...]}`: the real program behind a shim, and what it needs to see |
| `discover_env`, `discover_files` | environment variables and files on which that answer depends |
| `snippet` | argv for code given as text: `{exe}` and `{code}` |
| `snippet_file` | name of the file that code too long for an argument is put into |
| `script` | argv for a script: `{exe}` and `{file}` |
| `env` | variables; `{scratch}` is a private folder that is gone after the run, `{home}` is HOME |
| `memory_rlimit` | whether the interpreter lives with RLIMIT_DATA |
| `prefix`, `needs`, `version`, `snippet_start`, `heap_percent`, `least_memory_mib` | see the README of Cocoon's SDK |
| `install` | how to get the interpreter, for people who lack it |
)txt"},
    Template{".gitignore", "/build/\n"},
};

std::string filled(std::string_view text, std::string_view name) {
  std::string variable(name);
  for (char& c : variable) c = c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  std::string result(text);
  for (const auto& [mark, value] : {std::pair<std::string_view, std::string_view>("@NAME@", name),
                                    std::pair<std::string_view, std::string_view>("@VARIABLE@", variable)}) {
    for (std::size_t at = result.find(mark); at != std::string::npos; at = result.find(mark, at + value.size())) {
      result.replace(at, mark.size(), value);
    }
  }
  return result;
}

Result<void> write_project(const std::string& folder, const std::string& name) {
  if (os::exists(folder)) return fail("exists", "is there already, and nothing is overwritten", folder);
  if (Result<void> made = os::make_folders(folder, 0755); !made) return made;
  for (const Template& file : kRuntimeProject) {
    Result<void> written = os::create_file(os::join(folder, filled(file.path, name)), filled(file.text, name), 0644);
    if (!written) return written;
  }
  return {};
}

}  // namespace

int plugin_new_command(std::span<const std::string> arguments) {
  std::vector<Flag> flags;
  Common common;
  std::string folder;
  flags.push_back({"--dir", "DIR", "Folder to make. Default: cocoon-runtime-NAME.",
                   [&folder](std::string_view value, std::string_view) -> Result<void> {
                     folder = std::string(value);
                     return {};
                   }});
  add_common_flags(flags, common);
  const Result<Words> words = read_flags(flags, arguments, [] { return false; });
  if (!words) return report(words.error(), false, kExitUsage);
  if (common.help) return show_help("plugin new", flags);
  if (words->before.size() != 2 || words->marked || words->before[0] != "runtime") {
    return report({"usage", "takes the word runtime and a name", "plugin new", "cocoon plugin new runtime lua"}, false,
                  kExitUsage);
  }
  const std::string& name = words->before[1];
  if (!is_plugin_name(name)) {
    return report(
        {"usage", "a plugin's name has lower-case letters, digits and hyphens, and starts with a letter", name, {}},
        false, kExitUsage);
  }
  if (folder.empty()) folder = "cocoon-runtime-" + name;
  const Result<std::string> cwd = os::current_folder();
  if (!cwd) return report(cwd.error(), false, kExitRefused);
  if (Result<void> written = write_project(os::absolute(folder, *cwd), name); !written) {
    return report(written.error(), false, kExitRefused);
  }
  print("made " + folder + "; try: cd " + folder +
        " && cmake -B build && cmake --build build && ctest --test-dir build\n");
  return 0;
}

}  // namespace cocoon::cli
