// The operator's policy as a TOML file, read by the library's own tree: errors name lines.
#include "host/policy.hpp"

#include <functional>
#include <limits>
#include <map>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

namespace cocoon {
namespace {

using Set = std::function<Result<void>(const toml::node&, const std::string& where)>;
using Keys = std::map<std::string, Set, std::less<>>;

Unexpected<Error> wrong(const std::string& where, const std::string& wanted) {
  return fail("bad_value", "must be " + wanted, where);
}

Set text(std::string& out) {
  return [&out](const toml::node& node, const std::string& where) -> Result<void> {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty()) return wrong(where, "a text");
    out = *value;
    return {};
  };
}

Set flag(bool& out) {
  return [&out](const toml::node& node, const std::string& where) -> Result<void> {
    const auto value = node.value_exact<bool>();
    if (!value) return wrong(where, "true or false");
    out = *value;
    return {};
  };
}

template <typename Number>
Set count(Number& out, std::int64_t least) {
  return [&out, least](const toml::node& node, const std::string& where) -> Result<void> {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < least || *value > std::numeric_limits<std::int32_t>::max())
      return wrong(where, "a whole number from " + std::to_string(least));
    out = static_cast<Number>(*value);
    return {};
  };
}

Set texts(std::vector<std::string>& out) {
  return [&out](const toml::node& node, const std::string& where) -> Result<void> {
    const toml::array* list = node.as_array();
    if (list == nullptr) return wrong(where, "a list of texts");
    out.clear();
    for (const toml::node& item : *list) {
      const auto value = item.value_exact<std::string>();
      if (!value || value->empty()) return wrong(where, "a list of texts");
      out.push_back(*value);
    }
    return {};
  };
}

std::optional<std::string> quantity(const toml::node& node) {
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  return node.value_exact<std::string>();
}

// Bytes with a unit; a bare number counts MiB, as in requests.
template <typename Number>
Set size(Number& out, std::uint64_t unit) {
  return [&out, unit](const toml::node& node, const std::string& where) -> Result<void> {
    const auto given = quantity(node);
    if (!given) return wrong(where, "a size such as \"128M\"");
    const Result<std::uint64_t> bytes = parse_size(*given, 1U << 20U, where);
    if (!bytes) return Unexpected<Error>{bytes.error()};
    out = static_cast<Number>((*bytes + unit - 1) / unit);
    return {};
  };
}

Set duration(std::uint64_t& out) {
  return [&out](const toml::node& node, const std::string& where) -> Result<void> {
    const auto given = quantity(node);
    if (!given) return wrong(where, "a time such as \"30s\"");
    const Result<std::uint64_t> ms = parse_duration_ms(*given, where);
    if (!ms) return Unexpected<Error>{ms.error()};
    out = *ms;
    return {};
  };
}

Set network(bool& out) {
  return [&out](const toml::node& node, const std::string& where) -> Result<void> {
    const auto value = node.value_exact<std::string>();
    if (!value || (*value != "none" && *value != "host")) return wrong(where, "\"none\" or \"host\"");
    out = *value == "host";
    return {};
  };
}

Set folders(OperatorPolicy& policy) {
  return [&policy](const toml::node& node, const std::string& where) -> Result<void> {
    std::vector<std::string> list;
    if (Result<void> read = texts(list)(node, where); !read) return read;
    policy.folders.clear();
    policy.folders_given = true;
    for (const std::string& folder : list)
      if (Result<void> added = add_folder(policy, folder, where); !added) return added;
    return {};
  };
}

Result<void> read_table(const toml::table& table, const Keys& keys, const std::string& name) {
  for (const auto& [key, node] : table) {
    const std::string where = name + ":" + std::to_string(node.source().begin.line) + " " + std::string(key.str());
    const auto found = keys.find(key.str());
    if (found == keys.end()) {
      std::string known;
      for (const auto& [one, set] : keys) known.append(known.empty() ? "" : ", ").append(one);
      return fail("unknown_key", "is not known", where, "known here: " + known);
    }
    if (Result<void> set = found->second(node, where); !set) return set;
  }
  return {};
}

Set section(Keys keys, const std::string& name) {
  return [keys = std::move(keys), name](const toml::node& node, const std::string& where) -> Result<void> {
    const toml::table* table = node.as_table();
    if (table == nullptr) return wrong(where, "a table");
    return read_table(*table, keys, name);
  };
}

}  // namespace

Result<void> read_policy(std::string_view toml, const std::string& name, OperatorPolicy& policy) {
  const toml::parse_result parsed = toml::parse(toml, name);
  if (!parsed)
    return fail("bad_value", std::string(parsed.error().description()),
                name + ":" + std::to_string(parsed.error().source().begin.line));
  Policy& limits = policy.limits;
  const Keys top = {
      {"folders", folders(policy)},
      {"network", network(limits.host_network)},
      {"commands", flag(policy.commands)},
      {"runtimes", texts(policy.runtimes)},
      {"drivers", texts(policy.drivers)},
      {"require", texts(policy.require)},
      {"allow_protected", flag(policy.allow_protected)},
      {"limits", section({{"timeout", duration(limits.max_timeout_ms)},
                          {"memory", size(limits.max_memory_kib, 1024)},
                          {"pids", count(limits.max_pids, 2)},
                          {"disk", size(limits.max_disk_kib, 1024)},
                          {"output", size(limits.max_output_bytes, 1)}},
                         name)},
      {"runs",
       section({{"concurrent", count(policy.concurrent_runs, 1)}, {"queue", count(policy.queued_runs, 0)}}, name)},
      {"output", section({{"shown", size(policy.shown_output_bytes, 1)},
                          {"kept", size(policy.kept_output_bytes, 1)},
                          {"kept_in_all", size(policy.all_kept_output_bytes, 1)}},
                         name)},
      {"audit", section({{"file", text(policy.audit_file)}, {"code", flag(policy.audit_code)}}, name)},
  };
  return read_table(parsed.table(), top, name);
}

}  // namespace cocoon
