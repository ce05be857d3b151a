// The table of request fields, and how each is set from its text.
#include "plan/profile.hpp"
#include "plan/request.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

using Set = Result<void> (*)(Request&, const Field&, std::string_view value, std::string_view where);

template <auto Member>
Result<void> set_text(Request& request, const Field&, std::string_view value, std::string_view where) {
  if (value.empty()) return fail("bad_value", "must not be empty", std::string(where));
  request.*Member = std::string(value);
  return {};
}

// Text that may be empty: code, standard input.
template <auto Member>
Result<void> set_any_text(Request& request, const Field&, std::string_view value, std::string_view) {
  request.*Member = std::string(value);
  return {};
}

template <auto Member>
Result<void> add_text(Request& request, const Field& field, std::string_view value, std::string_view where) {
  const auto known = split(field.choices, '|');
  if (!known.empty() && !contains(known, value))
    return fail("bad_value", quoted(value) + " is not known", std::string(where), "one of: " + joined(known, ", "));
  (request.*Member).emplace_back(value);
  return {};
}

template <auto Member>
Result<void> add_path(Request& request, const Field&, std::string_view value, std::string_view where) {
  if (value.empty()) return fail("bad_value", "must not be empty", std::string(where));
  (request.*Member).emplace_back(value);
  return {};
}

Result<void> add_env(Request& request, const Field&, std::string_view value, std::string_view where) {
  const std::size_t equals = value.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return fail("bad_value", quoted(value) + " is not NAME=VALUE", std::string(where));
  request.env.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return {};
}

// A source may hold colons, so the text is read from its end.
Result<void> add_mount(Request& request, const Field&, std::string_view value, std::string_view where) {
  const std::size_t second = value.rfind(':');
  const std::size_t first = second == std::string_view::npos || second == 0 ? second : value.rfind(':', second - 1);
  const std::string_view mode = second == std::string_view::npos ? "" : value.substr(second + 1);
  if (first == std::string_view::npos || first == second || first == 0 || (mode != "ro" && mode != "rw"))
    return fail("bad_value", quoted(value) + " is not SOURCE:TARGET:ro or SOURCE:TARGET:rw", std::string(where));
  const std::string_view target = value.substr(first + 1, second - first - 1);
  if (!target.starts_with('/'))
    return fail("bad_value", "the target " + quoted(target) + " is not absolute", std::string(where),
                "say where it is to appear inside, from /");
  if (!is_plain_path(target) || target == "/")
    return fail("bad_value", "the target " + quoted(target) + " is not the plain path of a place below /",
                std::string(where), "leave out '.', '..' and extra slashes");
  request.mounts.push_back({std::string(value.substr(0, first)), std::string(target), mode == "rw"});
  return {};
}

// "isolated" is cocoon.conf's word for "none".
Result<void> set_net(Request& request, const Field&, std::string_view value, std::string_view where) {
  if (value == "none" || value == "isolated") {
    request.net = Network::none;
  } else if (value == "host") {
    request.net = Network::host;
  } else {
    return fail("bad_value", quoted(value) + " is not a network", std::string(where), "one of: none, host, isolated");
  }
  return {};
}

template <auto Member>
Result<void> set_choice(Request& request, const Field& field, std::string_view value, std::string_view where) {
  const auto known = split(field.choices, '|');
  if (!contains(known, value))
    return fail("bad_value", quoted(value) + " is not known", std::string(where), "one of: " + joined(known, ", "));
  request.*Member = std::string(value);
  return {};
}

template <auto Member>
Result<void> set_flag(Request& request, const Field&, std::string_view value, std::string_view where) {
  if (value != "true" && value != "false")
    return fail("bad_value", quoted(value) + " is neither true nor false", std::string(where));
  request.*Member = value == "true";
  return {};
}

template <auto Member>
Result<void> set_duration(Request& request, const Field&, std::string_view value, std::string_view where) {
  auto ms = parse_duration_ms(value, where);
  if (!ms) return Unexpected<Error>{std::move(ms.error())};
  request.*Member = *ms;
  return {};
}

// Bytes in KiB are rounded up, so that a bound is never tighter than asked for. Nobody has 4 TiB to give to one run:
// such a number is one of bytes where MiB are expected.
constexpr std::uint64_t largest_bytes = 4 * mib * mib;

Result<std::uint64_t> size_bytes(std::string_view value, std::string_view where) {
  auto bytes = parse_size(value, mib, where);
  if (!bytes) return Unexpected<Error>{std::move(bytes.error())};
  if (*bytes == 0) return fail("bad_value", "must be more than nothing", std::string(where));
  if (*bytes >= largest_bytes)
    return fail("bad_value", quoted(value) + " is 4 TiB or more", std::string(where),
                "a bare number counts MiB; write bytes with a B: 134217728B");
  return bytes;
}

template <auto Member>
Result<void> set_kib(Request& request, const Field&, std::string_view value, std::string_view where) {
  auto bytes = size_bytes(value, where);
  if (!bytes) return Unexpected<Error>{std::move(bytes.error())};
  request.*Member = (*bytes + kib - 1) / kib;
  return {};
}

template <auto Member>
Result<void> set_bytes(Request& request, const Field&, std::string_view value, std::string_view where) {
  auto bytes = size_bytes(value, where);
  if (!bytes) return Unexpected<Error>{std::move(bytes.error())};
  request.*Member = *bytes;
  return {};
}

template <auto Member>
Result<void> set_count(Request& request, const Field&, std::string_view value, std::string_view where) {
  const auto count = parse_digits(value);
  if (!count || *count == 0 || *count > 4'194'304)
    return fail("bad_value", quoted(value) + " is not a whole number from 1 to 4194304", std::string(where));
  const std::uint64_t number = *count;
  request.*Member = number;
  return {};
}

// A number and its unit as text that lives as long as the table.
struct NumberText {
  std::array<char, 24> chars{};
  std::size_t size = 0;

  constexpr std::string_view view() const { return {chars.data(), size}; }
};

consteval NumberText in_words(std::uint64_t number, std::string_view unit) {
  NumberText text;
  std::uint64_t power = 1;
  while (number / power >= 10) power *= 10;
  for (; power > 0; power /= 10) text.chars.at(text.size++) = static_cast<char>('0' + number / power % 10);
  for (const char c : unit) text.chars.at(text.size++) = c;
  return text;
}

constexpr NumberText default_timeout = in_words(defaults::timeout_s, " s");
constexpr NumberText default_memory = in_words(defaults::memory_mib, " MiB");
constexpr NumberText default_pids = in_words(defaults::pids, "");
constexpr NumberText default_output = in_words(defaults::output_mib, " MiB");
constexpr NumberText default_open_files = in_words(defaults::open_files, "");

// Steps come from request JSON, or are put together by a front end.
Result<void> refuse_text(Request&, const Field&, std::string_view, std::string_view where) {
  return fail("bad_value", "must be a list of steps", std::string(where));
}

struct Row {
  Field field;
  Set set;
};

using R = Request;
using enum FieldType;

// name, alias, flag, type, metavar, unit, fallback, choices, help
constexpr std::array rows{
    Row{{"command", "", "", text_list, "CMD", "", "", "",
         "Program and its arguments, as a list; a single string is run by /bin/sh -c."},
        add_text<&R::command>},
    Row{{"runtime", "", "--runtime", text, "NAME", "", "", "",
         "Language runtime that executes code or file: python, node, bash, ..."},
        set_text<&R::runtime>},
    Row{{"code", "", "-c,--code", text, "CODE", "", "", "", "Source code for the runtime to execute."},
        set_any_text<&R::code>},
    Row{{"file", "", "", path, "FILE", "", "", "", "Script file on the host for the runtime to execute."},
        set_text<&R::file>},
    Row{{"args", "", "", text_list, "ARG", "", "", "", "Arguments of the script file."}, add_text<&R::args>},
    Row{{"rootfs", "", "", path, "DIR", "", "the host's programs, read-only", "",
         "Host folder that becomes the guest's root, instead of a view of the host."},
        set_text<&R::rootfs>},
    Row{{"ro", "", "--ro", path_list, "PATH", "", "the current directory, unless that is your home or holds it", "",
         "Host file or folder that the guest may read, at its own path."},
        add_path<&R::ro>},
    Row{{"work", "workdir", "--work", path, "DIR", "", "none", "",
         "Host folder that the guest may change, at its own path and as /work; its working directory."},
        set_text<&R::work>},
    Row{{"copy", "", "--copy", path_list, "PATH", "", "", "",
         "Host file or folder of which a copy is put into the work folder; the original stays untouched."},
        add_path<&R::copy>},
    Row{{"temp", "", "--temp", path, "DIR", "", "private memory, gone at exit", "",
         "Host folder for temporary files and caches."},
        set_text<&R::temp>},
    Row{{"env", "", "--env", pairs, "NAME=VALUE", "", "", "",
         "Environment variable of the guest; nothing is inherited."},
        add_env},
    Row{{"cwd", "", "--cwd", text, "DIR", "",
         "the work folder, else the first ro folder, else the current directory; in a bundle /", "",
         "Working directory, as the guest sees it."},
        set_text<&R::cwd>},
    Row{{"hostname", "", "--hostname", text, "NAME", "", "cocoon", "", "Host name that the guest sees."},
        set_text<&R::hostname>},
    Row{{"mount", "", "", text_list, "SOURCE:TARGET:ro|rw", "", "", "",
         "With rootfs: a host file or folder that appears at TARGET, which must exist in the rootfs."},
        add_mount},
    Row{{"readonly", "", "", flag, "", "", "true", "", "With rootfs: whether the guest may not change it."},
        set_flag<&R::readonly>},
    Row{{"net", "", "--net", choice, "NET", "", "none", "none|host",
         "Network: none has a loopback of its own only, host is the host's where the operator allows it."},
        set_net},
    Row{{"stdin", "", "", text, "TEXT", "", "empty", "", "Text that the guest reads from its standard input."},
        set_any_text<&R::stdin_text>},
    Row{{"profile", "", "--profile", choice, "NAME", "", "none", "strict|build",
         "Set of defaults: strict (no network, read-only, 5 s, 128 MiB) or build (writable rootfs, 5 min, 1 GiB)."},
        set_choice<&R::profile>},
    Row{{"timeout", "", "--timeout", duration, "TIME", "seconds", default_timeout.view(), "",
         "Wall-clock time after which the run ends."},
        set_duration<&R::timeout_ms>},
    Row{{"memory_max", "mem", "--mem", size, "MIB", "MiB", default_memory.view(), "",
         "Memory of all processes of the guest together."},
        set_kib<&R::memory_kib>},
    Row{{"pids_max", "pids", "--pids", count, "N", "processes and threads", default_pids.view(), "",
         "Processes and threads of the guest."},
        set_count<&R::pids>},
    Row{{"cpu_time", "", "--cpu-time", duration, "TIME", "seconds", "none", "",
         "CPU time of all processes of the guest together."},
        set_duration<&R::cpu_ms>},
    Row{{"disk", "", "--disk", size, "MIB", "MiB", "half of the memory", "", "Size of the private scratch."},
        set_kib<&R::disk_kib>},
    Row{{"output_max", "", "--output-max", size, "MIB", "MiB", default_output.view(), "",
         "Bytes that the guest may write to its standard output and error together; more ends the run."},
        set_bytes<&R::output_bytes>},
    Row{{"file_max", "", "--file-max", size, "MIB", "MiB", "none", "", "Size of any one file that the guest writes."},
        set_kib<&R::file_kib>},
    Row{{"open_files", "", "--open-files", count, "N", "files", default_open_files.view(), "",
         "Open files of each process."},
        set_count<&R::open_files>},
    Row{{"allow_protected", "", "--allow-protected", flag, "", "", "false", "",
         "Let the guest change files of the work folder that programs obey later (.git/hooks, .vscode, ...)."},
        set_flag<&R::allow_protected>},
    Row{{"driver", "", "--driver", text, "NAME", "", "the strongest that works here", "", "Isolation driver."},
        set_text<&R::driver>},
    Row{{"require", "", "--require", text_list, "LAYER", "", "",
         "user|mount|pid|net|ipc|uts|cgroup|landlock|seccomp|capabilities|no_new_privs|memory|pids",
         "Isolation layer without which the run is refused."},
        add_text<&R::require>},
    Row{{"steps", "", "", FieldType::steps, "", "", "", "",
         "Pipeline: what to run one after another, in one shared work folder; each step is a sandbox of its own."},
        refuse_text},
    Row{{"step_timeout", "", "", duration, "TIME", "seconds", "as for all steps together", "",
         "Pipeline: wall-clock time of each step that has none of its own."},
        set_duration<&R::step_timeout_ms>},
    Row{{"keep_going", "", "", flag, "", "", "false", "", "Pipeline: go on with the next step after one that failed."},
        set_flag<&R::keep_going>},
    Row{{"name", "", "", text, "NAME", "", "the runtime or program", "", "Pipeline: what a step is called."},
        set_text<&R::name>},
};

constexpr std::array<std::string_view, 16> step_fields{
    "name",    "command",    "runtime",  "code",     "file", "args",       "env",      "cwd",
    "timeout", "memory_max", "pids_max", "cpu_time", "disk", "output_max", "file_max", "open_files"};

constexpr auto fields = [] {
  std::array<Field, rows.size()> all{};
  for (std::size_t i = 0; i < rows.size(); ++i) all[i] = rows[i].field;
  return all;
}();

}  // namespace

std::span<const Field> request_fields() { return fields; }

const Field* find_field(std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name || (!field.alias.empty() && field.alias == name)) return &field;
  return nullptr;
}

bool is_step_field(std::string_view name) { return contains(step_fields, name); }

Result<void> set_field(Request& request, const Field& field, std::string_view value, std::string_view where) {
  // Standard input is bytes; everything else ends up where the kernel or a shell would cut it at a NUL.
  if (field.name != "stdin" && has_nul(value)) return fail("bad_value", "contains a NUL byte", std::string(where));
  if (!is_utf8(value)) return fail("bad_value", "is not valid UTF-8", std::string(where));
  for (const Row& row : rows)
    if (row.field.name == field.name) return row.set(request, field, value, where);
  return fail("unknown_key", quoted(field.name) + " is not a request field", std::string(where));
}

}  // namespace cocoon
