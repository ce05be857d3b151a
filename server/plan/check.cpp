// What a request must be before anybody looks at the host: one thing to run, and fields that fit together.
#include "plan/request.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

namespace cocoon {
namespace {

// The kernel takes no single argument or variable beyond 128 KiB (MAX_ARG_STRLEN), its terminating NUL included.
constexpr std::size_t longest_argument = (128U << 10U) - 1;
// A snippet travels inside the Plan.
constexpr std::size_t longest_code = 2U << 20U;
constexpr std::size_t most_items = 4096;
constexpr std::size_t most_steps = 64;
constexpr std::size_t longest_name = 256;

Result<void> check_text(std::string_view text, std::string_view where, std::size_t longest) {
  if (has_nul(text)) return fail("bad_value", "contains a NUL byte", std::string(where));
  if (!is_utf8(text)) return fail("bad_value", "is not valid UTF-8", std::string(where));
  if (text.size() > longest)
    return fail("bad_value", "is longer than " + std::to_string(longest) + " bytes", std::string(where));
  return {};
}

Result<void> check_list(const std::vector<std::string>& list, std::string_view where) {
  if (list.size() > most_items)
    return fail("bad_value", "has more than " + std::to_string(most_items) + " items", std::string(where));
  for (const std::string& item : list)
    if (auto checked = check_text(item, where, longest_argument); !checked) return checked;
  return {};
}

Result<void> check_texts(const Request& request) {
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"runtime", &request.runtime}, {"file", &request.file},         {"rootfs", &request.rootfs},
      {"work", &request.work},       {"temp", &request.temp},         {"cwd", &request.cwd},
      {"profile", &request.profile}, {"hostname", &request.hostname}, {"driver", &request.driver}};
  for (const auto& [name, text] : texts)
    if (auto checked = check_text(*text, name, longest_argument); !checked) return checked;
  const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {{"command", &request.command},
                                                                                {"args", &request.args},
                                                                                {"ro", &request.ro},
                                                                                {"copy", &request.copy},
                                                                                {"require", &request.require}};
  for (const auto& [name, list] : lists)
    if (auto checked = check_list(*list, name); !checked) return checked;
  if (request.code)
    if (auto checked = check_text(*request.code, "code", longest_code); !checked) {
      checked.error().hint = "put long code into a file";
      return checked;
    }
  if (request.env.size() > most_items) return fail("bad_value", "has too many variables", "env");
  for (const auto& [name, value] : request.env) {
    if (name.empty() || name.find('=') != std::string::npos)
      return fail("bad_value", quoted(name) + " is not the name of a variable", "env");
    if (auto checked = check_text(name, "env", longest_argument); !checked) return checked;
    if (auto checked = check_text(value, "env " + name, longest_argument - name.size()); !checked) return checked;
  }
  return {};
}

Result<void> check_what(const Request& request) {
  if (!request.rootfs.empty()) {
    if (!request.runtime.empty() || request.code || !request.file.empty())
      return fail("conflict", "a rootfs runs a command, not a runtime", "runtime",
                  "name the program inside the rootfs as the command");
    if (request.command.empty()) return fail("missing_value", "names nothing to run", "command");
  } else if (!request.runtime.empty()) {
    if (!request.command.empty())
      return fail("conflict", "a runtime and a command are given, and only one thing can run", "command",
                  "a runtime takes code or a file");
    if (request.code && !request.file.empty())
      return fail("conflict", "code and a file are given, and only one of them can run", "code");
    if (!request.code && request.file.empty())
      return fail("missing_value", "nothing is given to execute", "runtime", "give it code (-c CODE) or a FILE");
  } else {
    if (request.code || !request.file.empty())
      return fail("missing_value", "code or a file is given, but not what executes it", "runtime",
                  "name the runtime: --runtime python");
    if (request.command.empty())
      return fail("missing_value", "nothing to run is given", "command",
                  "give a command (-- CMD ARGS), or a runtime with code or a file");
  }
  if (!request.args.empty() && request.file.empty())
    return fail("conflict", "are the arguments of a file, and there is none", "args");
  if (!request.command.empty() && request.command.front().empty())
    return fail("bad_value", "names no program", "command");
  return {};
}

// A bundle brings its own root; elsewhere the guest sees a view of the host. Each has options of its own.
Result<void> check_mode(const Request& request) {
  if (!request.rootfs.empty()) {
    std::string_view extra;
    if (!request.ro.empty()) extra = "ro";
    if (!request.work.empty()) extra = "work";
    if (!request.copy.empty()) extra = "copy";
    if (!request.temp.empty()) extra = "temp";
    if (!extra.empty())
      return fail("conflict", "can't be used together with a rootfs", std::string(extra),
                  "mount host folders with mount = SOURCE:TARGET:ro");
    return {};
  }
  if (!request.mounts.empty())
    return fail("conflict", "needs a rootfs", "mount", "show host folders with ro or work instead");
  if (request.readonly)
    return fail("conflict", "needs a rootfs", "readonly", "the host is always read-only; work is the writable folder");
  return {};
}

bool is_hostname(std::string_view name) {
  if (name.size() > 64 || name.front() == '-' || name.front() == '.') return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_') return false;
  }
  return true;
}

Result<void> check_steps(const Request& request) {
  if (request.steps.size() > most_steps)
    return fail("bad_value", "are more than " + std::to_string(most_steps), "steps");
  if (!request.command.empty() || !request.runtime.empty() || request.code || !request.file.empty() ||
      !request.args.empty() || !request.rootfs.empty())
    return fail("conflict", "are given, and something to run beside them", "steps", "make it one of the steps");
  std::size_t number = 0;
  for (const Request& step : step_requests(request)) {
    ++number;
    if (auto checked = check_text(step.name, "name", longest_name); !checked)
      return in_step(true, number, checked.error());
    if (auto checked = check_request(step); !checked) return in_step(true, number, checked.error());
  }
  return {};
}

}  // namespace

Result<void> check_request(const Request& request) {
  if (!request.steps.empty()) return check_steps(request);
  if (request.keep_going || request.step_timeout_ms)
    return fail("missing_value", "are not given, and what is said about them holds for a pipeline only", "steps");
  if (auto checked = check_texts(request); !checked) return checked;
  if (auto checked = check_what(request); !checked) return checked;
  if (auto checked = check_mode(request); !checked) return checked;
  if (!request.cwd.empty() && !is_plain_path(request.cwd))
    return fail("bad_value", quoted(request.cwd) + " is not the plain absolute path of a folder inside", "cwd");
  if (!request.hostname.empty() && !is_hostname(request.hostname))
    return fail("bad_value", quoted(request.hostname) + " is not a host name", "hostname",
                "up to 64 letters, digits, '-', '_' and '.'");
  for (const ExtraMount& mount : request.mounts) {
    if (mount.source.empty() || !is_plain_path(mount.target) || mount.target == "/")
      return fail("bad_value", quoted(mount.target) + " is not a place to mount at", "mount");
    for (const std::string* text : {&mount.source, &mount.target})
      if (auto checked = check_text(*text, "mount", longest_argument); !checked) return checked;
  }
  if (request.stdin_open && request.stdin_text) return fail("conflict", "is given as text and as a stream", "stdin");
  return {};
}

}  // namespace cocoon
