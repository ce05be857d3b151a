// The table of the policy's keys, and how each is set from its text.
#include "host/policy_keys.hpp"

#include "plan/text.hpp"

#include <cocoon/json_writer.hpp>

#include <array>

namespace cocoon {
namespace {

using O = OperatorPolicy;
using P = Policy;

// A member of the policy itself, or of its limits.
template <auto Member>
auto& member(auto& policy) {
  if constexpr (requires { policy.*Member; }) {
    return policy.*Member;
  } else {
    return policy.limits.*Member;
  }
}

template <auto Member>
Result<void> set_text(O& policy, std::string_view value, std::string_view where) {
  if (value.empty()) return fail("bad_value", "must not be empty", std::string(where));
  member<Member>(policy) = std::string(value);
  return {};
}

template <auto Member>
Result<void> add_text(O& policy, std::string_view value, std::string_view where) {
  if (value.empty()) return fail("bad_value", "must not be empty", std::string(where));
  member<Member>(policy).emplace_back(value);
  return {};
}

template <auto Member>
Result<void> set_flag(O& policy, std::string_view value, std::string_view where) {
  if (value != "true" && value != "false") return fail("bad_value", "must be true or false", std::string(where));
  member<Member>(policy) = value == "true";
  return {};
}

template <auto Member, std::uint64_t Least>
Result<void> set_count(O& policy, std::string_view value, std::string_view where) {
  constexpr std::uint64_t most = 4'194'304;
  const std::optional<std::uint64_t> count = parse_digits(value);
  if (!count || *count < Least || *count > most)
    return fail("bad_value",
                quoted(value) + " is not a whole number from " + std::to_string(Least) + " to " + std::to_string(most),
                std::string(where));
  member<Member>(policy) = *count;
  return {};
}

// A bare number counts MiB, as in requests.
template <auto Member, std::uint64_t Unit>
Result<void> set_size(O& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> bytes = parse_size(value, 1U << 20U, where);
  if (!bytes) return Unexpected<Error>{bytes.error()};
  member<Member>(policy) = *bytes / Unit + (*bytes % Unit != 0 ? 1 : 0);
  return {};
}

// To the planner, a ceiling of 0 is none.
template <auto Member, std::uint64_t Unit>
Result<void> set_ceiling(O& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> bytes = parse_size(value, 1U << 20U, where);
  if (bytes && *bytes == 0)
    return fail("bad_value", "must be more than nothing", std::string(where), "there is no run without a ceiling");
  return set_size<Member, Unit>(policy, value, where);
}

template <auto Member>
Result<void> set_duration(O& policy, std::string_view value, std::string_view where) {
  const Result<std::uint64_t> ms = parse_duration_ms(value, where);
  if (!ms) return Unexpected<Error>{ms.error()};
  member<Member>(policy) = *ms;
  return {};
}

Result<void> set_network(O& policy, std::string_view value, std::string_view where) {
  if (value != "none" && value != "host")
    return fail("bad_value", quoted(value) + " is neither none nor host", std::string(where));
  policy.limits.host_network = value == "host";
  return {};
}

void clear_folders(O& policy) {
  policy.folders.clear();
  policy.folders_given = true;
}

template <auto Member>
void clear_list(O& policy) {
  member<Member>(policy).clear();
}

void clear_nothing(O&) {}

template <auto Member>
PolicyValue get(const O& policy) {
  return member<Member>(policy);
}

template <auto Member, std::uint64_t Unit>
PolicyValue get_number(const O& policy) {
  return static_cast<double>(member<Member>(policy)) / static_cast<double>(Unit);
}

PolicyValue get_network(const O& policy) {
  return std::string(policy.limits.host_network ? "host where asked for" : "none");
}

PolicyValue get_folders(const O& policy) {
  std::string text = allowed_folders_text(policy);
  return text.empty() ? std::string("none") : std::move(text);
}

using enum PolicyType;
constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = kib * kib;

// section, name, type, flag, metavar, help, told, title, unit, none, set, clear, get
constexpr std::array keys{
    PolicyKey{"", "folders", texts, "--allow", "DIR[:rw]",
              "A host folder that calls may name, read-only or writable (repeatable). Default: the current folder, "
              "read-only.",
              "", "Folders", "", "", add_folder, clear_folders, get_folders},
    PolicyKey{"", "network", text, "--net", "NET",
              "none, or host: calls may ask for the host's network. Default: none.", "network", "Network", "", "",
              set_network, clear_nothing, get_network},
    PolicyKey{"", "commands", flag, "", "", "Whether calls may run any program, and not only a runtime.", "commands",
              "Commands", "", "", set_flag<&O::commands>, clear_nothing, get<&O::commands>},
    PolicyKey{"", "runtimes", texts, "--allow-runtime", "NAME",
              "A runtime that calls may use (repeatable). Default: all.", "runtimes", "Runtimes", "", "all",
              add_text<&O::runtimes>, clear_list<&O::runtimes>, get<&O::runtimes>},
    PolicyKey{"", "drivers", texts, "--allow-driver", "NAME",
              "A driver that may isolate, and that calls may name (repeatable). Default: the strongest that works, and "
              "calls name none.",
              "drivers", "Drivers", "", "the strongest that works; calls name none", add_text<&O::drivers>,
              clear_list<&O::drivers>, get<&O::drivers>},
    PolicyKey{"", "require", texts, "--require", "LAYER",
              "An isolation layer without which nothing is run (repeatable).", "require", "Isolation that has to be",
              "", "whatever works", add_text<&O::require>, clear_list<&O::require>, get<&O::require>},
    PolicyKey{"", "allow_protected", flag, "", "",
              "Whether calls may change files in their work folder that programs obey later.", "allow_protected",
              "Protected files may be changed", "", "", set_flag<&O::allow_protected>, clear_nothing,
              get<&O::allow_protected>},
    PolicyKey{"limits", "timeout", duration, "--max-timeout", "TIME", "Ceiling of a run's time.", "max_timeout_s",
              "Time, at most", "s", "", set_duration<&P::max_timeout_ms>, clear_nothing,
              get_number<&P::max_timeout_ms, 1000>},
    PolicyKey{"limits", "memory", size, "--max-mem", "MIB", "Ceiling of a run's memory.", "max_memory_mib",
              "Memory, at most", "MiB", "", set_ceiling<&P::max_memory_kib, kib>, clear_nothing,
              get_number<&P::max_memory_kib, kib>},
    PolicyKey{"limits", "pids", count, "--max-pids", "N", "Ceiling of a run's processes.", "max_pids",
              "Processes, at most", "", "", set_count<&P::max_pids, 2>, clear_nothing, get_number<&P::max_pids, 1>},
    PolicyKey{"limits", "disk", size, "--max-disk", "MIB", "Ceiling of a run's scratch.", "max_disk_mib",
              "Scratch, at most", "MiB", "", set_ceiling<&P::max_disk_kib, kib>, clear_nothing,
              get_number<&P::max_disk_kib, kib>},
    PolicyKey{"limits", "output", size, "--max-output", "MIB", "Ceiling of what a run may print.", "max_output_mib",
              "Output, at most", "MiB", "", set_ceiling<&P::max_output_bytes, 1>, clear_nothing,
              get_number<&P::max_output_bytes, mib>},
    PolicyKey{"runs", "concurrent", count, "--concurrent", "N", "Runs at once. Default: twice the processors, 4 to 32.",
              "concurrent_runs", "Runs at once", "", "", set_count<&O::concurrent_runs, 1>, clear_nothing,
              get_number<&O::concurrent_runs, 1>},
    PolicyKey{"runs", "queue", count, "--queue", "N", "Runs that may wait for their turn.", "queued_runs",
              "Runs that may wait", "", "", set_count<&O::queued_runs, 0>, clear_nothing,
              get_number<&O::queued_runs, 1>},
    PolicyKey{"output", "shown", size, "", "", "Of each stream, in a result.", "shown_output_kib",
              "Output shown in a result, of each stream", "KiB", "", set_size<&O::shown_output_bytes, 1>, clear_nothing,
              get_number<&O::shown_output_bytes, kib>},
    PolicyKey{"output", "kept", size, "", "", "Of each stream, to be read by range.", "kept_output_kib",
              "Output kept to be read by range, of each stream", "KiB", "", set_size<&O::kept_output_bytes, 1>,
              clear_nothing, get_number<&O::kept_output_bytes, kib>},
    PolicyKey{"output", "kept_in_all", size, "", "", "Of all runs together, likewise.", "", "", "MiB", "",
              set_size<&O::all_kept_output_bytes, 1>, clear_nothing, get_number<&O::all_kept_output_bytes, mib>},
    PolicyKey{
        "audit", "file", text, "--audit", "FILE",
        "Append lines of JSON about each call that runs something to FILE; without code, arguments or environment.", "",
        "", "", "", set_text<&O::audit_file>, clear_nothing, get<&O::audit_file>},
    PolicyKey{"audit", "code", flag, "", "", "Whether the record holds code, arguments, input and environment too.", "",
              "", "", "", set_flag<&O::audit_code>, clear_nothing, get<&O::audit_code>},
};

std::string number_text(double value) {
  json::Writer writer(-1);
  if (value == static_cast<double>(json::nearest(value))) {
    writer.number(json::nearest(value));
  } else {
    writer.milliseconds(value);
  }
  return writer.take();
}

}  // namespace

std::span<const PolicyKey> policy_keys() { return keys; }

std::string PolicyKey::text(const OperatorPolicy& policy) const {
  const PolicyValue value = get(policy);
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "yes" : "no";
  if (const double* number = std::get_if<double>(&value))
    return number_text(*number) + (unit.empty() ? "" : " " + std::string(unit));
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    return list->empty() ? std::string(none) : joined(*list, ", ");
  return std::get<std::string>(value);
}

}  // namespace cocoon
