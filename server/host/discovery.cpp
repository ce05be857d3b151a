// Discovery: PATH lookup, the preset's discovery command, and what may be believed of its answer.
#include "host/discovery.hpp"

#include "host/discovery_cache.hpp"
#include "host/log.hpp"
#include "host/matching_paths.hpp"
#include "host/os/child.hpp"
#include "host/os/paths.hpp"
#include "host/trust.hpp"
#include "plan/shown.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace cocoon {
namespace {

constexpr std::chrono::milliseconds kTimeout{5000};
constexpr std::size_t kMaxAnswerBytes = 64 * 1024;
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
// Where a script of ours finds the system's tools, whatever the caller's PATH has first.
constexpr std::string_view kSystemPath = "/usr/bin:/bin:/run/current-system/sw/bin";
// Where whole installations are put for everybody: nobody works there.
constexpr std::array<std::string_view, 4> kInstallations{"/usr/local", "/opt", "/nix", "/home/linuxbrew"};
// What a version manager's stand-in needs to find its own files. No variable by which a language loads code.
constexpr std::array kKeptVariables{
    "HOME",       "USER",          "LOGNAME",          "LANG",           "LC_ALL",          "LC_CTYPE",
    "ASDF_DIR",   "ASDF_DATA_DIR", "ASDF_CONFIG_FILE", "MISE_DATA_DIR",  "MISE_CONFIG_DIR", "VOLTA_HOME",
    "SDKMAN_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME",  "XDG_CACHE_HOME", "RUSTUP_HOME",     "CARGO_HOME"};

std::string title(const Preset& preset) { return preset.title.empty() ? preset.name : preset.title; }

Result<std::string> find_in_path(const Preset& preset) {
  const std::string path = os::environment("PATH").value_or(std::string(kDefaultPath));
  std::string names;
  for (const std::string& name : preset.find) {
    if (std::optional<std::string> program = os::find_program(name, path)) return std::move(*program);
    names.append(names.empty() ? "" : ", ").append(name);
  }
  return fail("runtime_missing", title(preset) + " is not installed: PATH has no " + names, "runtime " + preset.name,
              preset.install);
}

// The folder that "~/NAME" or "$VARIABLE/NAME" names; empty for another file, or where the variable says nothing.
std::string named_folder(const std::string& file) {
  const std::size_t slash = file.find('/');
  if (slash == std::string::npos || (!file.starts_with("~/") && !file.starts_with('$'))) return {};
  const std::string variable = file.starts_with('~') ? "HOME" : file.substr(1, slash - 1);
  const std::optional<std::string> folder = os::environment(variable.c_str());
  return folder && os::is_absolute(*folder) ? *folder : std::string();
}

// Where one of the preset's discover_files lies: "~/NAME" and "$VARIABLE/NAME" say where, a bare NAME is looked for
// from cwd upwards. Empty where there is none.
std::string locate(const std::string& file, const std::string& cwd) {
  if (file.starts_with("~/") || (file.starts_with('$') && file.find('/') != std::string::npos)) {
    const std::string folder = named_folder(file);
    if (folder.empty()) return {};
    std::string path = os::join(folder, std::string_view(file).substr(file.find('/') + 1));
    return os::exists(path) ? path : std::string();
  }
  for (std::string_view folder = cwd;; folder = os::parent(folder)) {
    std::string path = os::join(folder, file);
    if (os::exists(path)) return path;
    if (folder == "/") return {};
  }
}

// Everything on which the answer of the discovery command depends, as one line.
std::string cache_key(const Preset& preset, const std::string& program, const std::string& found,
                      const std::string& cwd) {
  nlohmann::json key = nlohmann::json::array();
  const auto add = [&key](std::string text) { key.push_back(std::move(text)); };
  const auto add_file = [&add](const std::string& path) {
    const os::FileIdentity id = os::identity(path).value_or(os::FileIdentity{});
    add(path);
    for (const std::uint64_t number : {id.device, id.inode, static_cast<std::uint64_t>(id.mtime_ns), id.size}) {
      add(std::to_string(number));
    }
  };
  add_file(program);
  add(found);
  for (const std::string& argument : preset.discover) add(argument);
  for (const std::string& name : preset.discover_env) {
    add(name + "=" + os::environment(name.c_str()).value_or(std::string()));
  }
  for (const std::string& file : preset.discover_files) add_file(locate(file, cwd));
  return key.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// An installation's folder in somebody's home also holds what programs keep private, credentials above all (~/.cargo):
// of it, only the parts that installations consist of. Of the home folder itself even fewer.
std::vector<std::string> narrowed(const std::string& folder, const std::string& executable) {
  const std::optional<std::string> home = os::real(os::environment("HOME").value_or(std::string()));
  const bool is_wide = folder == "/" || (home && (is_within(*home, folder) || folder == os::join(*home, ".local")));
  const auto holds = [&](const std::string& program) { return is_within(program, os::join(folder, "bin")); };
  const bool is_prefix = holds(executable) || holds(os::real(executable).value_or(std::string()));
  if (!is_wide && !(home && is_within(folder, *home) && is_prefix)) return {folder};
  std::vector<std::string_view> names{"bin", "lib", "lib64", "libexec", "include"};
  if (!is_wide) {
    // Of Python, Go, the JVM and R besides.
    names.insert(names.end(), {"share", "etc", "pyvenv.cfg", "src", "pkg", "go.env", "VERSION", "conf", "jmods",
                               "release", "legal", "library", "modules"});
  }
  std::vector<std::string> parts;
  for (const std::string_view name : names) {
    if (std::string part = os::join(folder, name); folder != "/" && os::exists(part)) parts.push_back(std::move(part));
  }
  return parts;
}

// What the guest must see of the host for the interpreter to work: real, existing, none inside another.
std::vector<std::string> needed_folders(const std::vector<std::string>& answer, const std::string& executable) {
  std::vector<std::string> folders;
  for (const std::string& path : answer) {
    const std::optional<std::string> folder = os::real(path);
    if (!folder) continue;
    for (const std::string& part : narrowed(*folder, executable)) {
      if (std::optional<std::string> real_part = os::real(part)) folders.push_back(std::move(*real_part));
    }
  }
  if (std::optional<std::string> program = os::real(executable)) folders.push_back(std::move(*program));
  std::sort(folders.begin(), folders.end());
  std::vector<std::string> outermost;
  for (std::string& folder : folders) {
    const auto is_inside = [&folder](const std::string& other) { return is_within(folder, other); };
    if (std::none_of(outermost.begin(), outermost.end(), is_inside)) outermost.push_back(std::move(folder));
  }
  return outermost;
}

// Turns what an interpreter says of itself into what holds on this host: version managers like to put symbolic links
// in front of everything, and the guest needs both ends of them.
Interpreter completed(Interpreter answer) {
  Interpreter interpreter;
  interpreter.executable = answer.executable;
  interpreter.version = std::move(answer.version);
  interpreter.directories = needed_folders(answer.directories, answer.executable);
  interpreter.links = std::move(answer.links);
  interpreter.env = std::move(answer.env);
  answer.directories.push_back(answer.executable);
  for (const std::string& spelling : answer.directories) {
    for (const std::string& link : os::links_on_the_way(spelling)) {
      const auto shows = [&link](const std::string& folder) { return is_within(link, folder); };
      const auto same = [&link](const Interpreter::Link& known) { return known.path == link; };
      if (std::any_of(interpreter.directories.begin(), interpreter.directories.end(), shows)) continue;
      if (std::any_of(interpreter.links.begin(), interpreter.links.end(), same)) continue;
      if (std::optional<std::string> real = os::real(link)) interpreter.links.push_back({link, std::move(*real)});
    }
  }
  return interpreter;
}

Result<Interpreter> read_answer(const Preset& preset, const std::string& program, std::string_view text) {
  const auto broken = [&](const std::string& message) {
    return fail("runtime_broken", title(preset) + " was found, but " + message, program,
                "does it work when you start it by hand?");
  };
  // Wrappers may print a greeting first.
  while (text.ends_with('\n')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\n') + 1);
  Result<Interpreter> answer = parse_interpreter(text);
  if (!answer) return broken("its answer cannot be read: " + answer.error().message);
  if (!os::is_file(answer->executable)) {
    return broken("the program that it names does not exist: \"" + answer->executable + "\"");
  }
  return completed(std::move(*answer));
}

// An interpreter itself, and no version manager's stand-in for one that reads files to choose what it starts.
bool is_interpreter(const Preset& preset, const std::string& program) {
  const std::optional<std::string> real = os::real(program);
  if (!real || !os::is_native_program(*real)) return false;
  return std::any_of(preset.find.begin(), preset.find.end(),
                     [&](const std::string& name) { return os::base_name(*real).starts_with(name); });
}

Unexpected<Error> untrusted(const Preset& preset, std::string place) {
  return fail(
      "untrusted_interpreter",
      "would decide which " + title(preset) +
          " is started outside of the sandbox, but lies where guests may write: an earlier run may have made it",
      std::move(place), "use an interpreter outside of the project and the work folder");
}

// Nothing that a guest may have written is to run on the host or to choose what runs there.
Result<void> check_trust(const Preset& preset, const std::string& program, const std::string& cwd,
                         const GuestFolders& guests) {
  if (auto place = guest_made_installation(program, guests.all())) return untrusted(preset, std::move(*place));
  if (is_interpreter(preset, program)) return {};
  for (const std::string& file : preset.discover_files) {
    for (const std::string& path : {named_folder(file), locate(file, cwd)}) {
      // A home folder may be a work folder; what counts of it are the files.
      if (path.empty() || (file.starts_with("~/") && path == named_folder(file))) continue;
      if (auto place = guest_made(path, guests.granted)) return untrusted(preset, std::move(*place));
    }
  }
  return {};
}

// A stand-in starts whatever PATH offers, and so gets the caller's without the folders that guests may have filled.
std::string search_path(bool with_callers, const std::string& cwd, const std::vector<std::string>& guest_folders) {
  std::string path(kSystemPath);
  if (!with_callers) return path;
  const std::string callers = os::environment("PATH").value_or(std::string(kDefaultPath));
  for (const std::string_view folder : split(callers, ':')) {
    if (!os::is_absolute(folder) || guest_made(os::absolute(folder, cwd), guest_folders)) continue;
    path.append(":").append(folder);
  }
  return path;
}

// Made from nothing: what the caller's own programs obey (RUBYOPT, NODE_OPTIONS, LD_PRELOAD) would load code from
// wherever it points to.
os::Environment child_environment(const Preset& preset, std::string path) {
  os::Environment variables{{"PATH", std::move(path)}};
  const auto keep = [&variables](const char* name) {
    if (std::optional<std::string> value = os::environment(name)) variables.emplace_back(name, std::move(*value));
  };
  for (const char* name : kKeptVariables) keep(name);
  for (const std::string& name : preset.discover_env) keep(name.c_str());
  return variables;
}

// Of a virtual environment in the project, what its link leads to is asked instead: the system's interpreter, or one
// that a version manager keeps in a hidden folder of the home, of which no guest decides what it does.
std::string program_to_ask(const Preset& preset, const std::string& found, const GuestFolders& guests) {
  const bool knows_both = contains(preset.discover, "{found}");
  if (!knows_both || !is_interpreter(preset, found) || !guest_made(found, guests.all())) return found;
  const std::optional<std::string> real = os::real(found);
  if (!real) return found;
  const std::string hidden = os::join(os::home_folder(), ".");
  const auto holds = [&real](std::string_view folder) { return is_within(*real, folder); };
  const bool out_of_reach = refuse_to_write(*real, {}) || (hidden.size() > 2 && real->starts_with(hidden)) ||
                            std::any_of(kInstallations.begin(), kInstallations.end(), holds);
  return out_of_reach ? *real : found;
}

std::vector<std::string> with_program(const std::vector<std::string>& command, const std::string& program,
                                      const std::string& found) {
  std::vector<std::string> argv = command;
  std::replace(argv.begin(), argv.end(), std::string("{exe}"), program);
  std::replace(argv.begin(), argv.end(), std::string("{found}"), found);
  return argv;
}

Result<Interpreter> ask(const Preset& preset, const std::string& program, const std::string& found,
                        const std::string& cwd, const GuestFolders& guests) {
  const std::vector<std::string> argv = with_program(preset.discover, program, found);
  // Version managers look for their files from the current folder upwards; whoever does not need that stays out of a
  // folder that may hold what an interpreter reads at its start.
  const bool itself = is_interpreter(preset, program);
  const std::string folder = preset.discover_files.empty() || itself ? "/" : cwd;
  const os::Environment variables = child_environment(preset, search_path(!itself, cwd, guests.all()));
  Result<os::ChildOutput> output = os::run_child(argv, variables, folder, kTimeout, kMaxAnswerBytes);
  if (!output) {
    return fail("runtime_broken", title(preset) + " was found, but it " + output.error().message, program,
                "does it work when you start it by hand?");
  }
  if (output->exit_code != 0) {
    std::string_view complaint = output->complaint;
    complaint = complaint.substr(0, std::min(complaint.find('\n'), std::size_t{200}));
    return fail("runtime_broken",
                title(preset) + " was found, but it ended with code " + std::to_string(output->exit_code) +
                    (complaint.empty() ? "" : ": " + std::string(complaint)),
                program, "does it work when you start it by hand?");
  }
  return read_answer(preset, program, output->text);
}

// The folder above the program's bin folder.
std::vector<std::string> installation(const std::string& program) {
  const std::optional<std::string> real = os::real(program);
  if (!real || os::base_name(os::parent(*real)) != "bin") return {};
  return {std::string(os::parent(os::parent(*real)))};
}

// The first number with a dot in it, and what belongs to it: "go version go1.19.8 linux/amd64" -> "1.19.8".
std::string version_in(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  for (std::size_t begin = text.find_first_of(digits); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    std::string_view number = text.substr(begin, end - begin);
    while (number.ends_with('.')) number.remove_suffix(1);
    if (number.find('.') != std::string_view::npos) return std::string(number);
    begin = text.find_first_of(digits, end);
  }
  return {};
}

Result<Interpreter> locate_interpreter(const Preset& preset, const std::string& cwd, const GuestFolders& guests) {
  const Result<std::string> program = find_in_path(preset);
  if (!program) return Unexpected<Error>{program.error()};
  if (preset.discover.empty() || (preset.prefix && is_interpreter(preset, *program))) {
    std::vector<std::string> folders;
    if (preset.prefix) folders = installation(*program);
    return completed({*program, {}, std::move(folders), {}});
  }
  const std::string asked = program_to_ask(preset, *program, guests);
  if (Result<void> trusted = check_trust(preset, asked, cwd, guests); !trusted) {
    return Unexpected<Error>{std::move(trusted.error())};
  }
  const std::string key = cache_key(preset, asked, *program, cwd);
  if (std::optional<Interpreter> known = cached_interpreter(preset.name, key, guests.all())) return std::move(*known);
  log(LogLevel::debug, "asking " + asked + " where it lives");
  Result<Interpreter> interpreter = ask(preset, asked, *program, cwd, guests);
  if (interpreter) cache_interpreter(preset.name, key, *interpreter, guests.all());
  return interpreter;
}

}  // namespace

Result<Interpreter> find_interpreter(const Preset& preset, const std::string& cwd, const GuestFolders& guests) {
  Result<Interpreter> interpreter = locate_interpreter(preset, cwd, guests);
  if (!interpreter || preset.needs.empty()) return interpreter;
  // Not part of what is remembered: they come and go without the interpreter.
  for (const std::string& pattern : preset.needs) {
    for (std::string& path : matching_paths(pattern)) interpreter->directories.push_back(std::move(path));
  }
  return completed(std::move(*interpreter));
}

std::string ask_version(const Preset& preset, const Interpreter& interpreter, const GuestFolders& guests) {
  if (preset.version.empty() || guest_made_installation(interpreter.executable, guests.all())) return {};
  const Result<os::ChildOutput> output =
      os::run_child(with_program(preset.version, interpreter.executable, interpreter.executable),
                    child_environment(preset, std::string(kSystemPath)), "/", kTimeout, kMaxAnswerBytes);
  if (!output) return {};
  std::string version = version_in(output->text);
  return version.empty() ? version_in(output->complaint) : version;
}

}  // namespace cocoon
