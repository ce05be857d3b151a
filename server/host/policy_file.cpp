// The operator's policy as a TOML file: errors name lines.
#include "host/policy_keys.hpp"
#include "host/toml.hpp"

namespace cocoon {
namespace {

using Kind = TomlNode::Kind;

Unexpected<Error> wrong(const std::string& where, std::string_view wanted) {
  return fail("bad_value", "must be " + std::string(wanted), where);
}

// A value as the text that the table of keys understands.
Result<std::string> text_of(PolicyType type, const TomlNode& node, const std::string& where) {
  const bool is_quantity = type == PolicyType::size || type == PolicyType::duration;
  if (type == PolicyType::flag) {
    if (node.kind != Kind::flag) return wrong(where, "true or false");
    return std::string(node.flag ? "true" : "false");
  }
  if (node.kind == Kind::integer && (is_quantity || type == PolicyType::count)) return std::to_string(node.integer);
  if (type == PolicyType::count) return wrong(where, "a whole number");
  if (node.kind == Kind::text && !node.text.empty()) return node.text;
  if (type == PolicyType::size) return wrong(where, "a size such as \"128M\"");
  if (type == PolicyType::duration) return wrong(where, "a time such as \"30s\"");
  return wrong(where, "a text");
}

Result<void> set_key(const PolicyKey& key, const TomlNode& node, const std::string& where, OperatorPolicy& policy) {
  const auto set = [&](const TomlNode& value) -> Result<void> {
    const Result<std::string> text = text_of(key.type, value, where);
    if (!text) return Unexpected<Error>{text.error()};
    return key.set(policy, *text, where);
  };
  if (key.type != PolicyType::texts) return set(node);
  if (node.kind != Kind::list) return wrong(where, "a list of texts");
  key.clear(policy);
  for (const TomlNode& item : node.items)
    if (Result<void> added = set(item); !added) return added;
  return {};
}

const PolicyKey* find_key(std::string_view section, std::string_view name) {
  for (const PolicyKey& key : policy_keys())
    if (key.section == section && key.name == name) return &key;
  return nullptr;
}

bool is_section(std::string_view name) {
  for (const PolicyKey& key : policy_keys())
    if (key.section == name && !name.empty()) return true;
  return false;
}

std::string known_names(std::string_view section) {
  std::string names;
  std::string_view last;
  for (const PolicyKey& key : policy_keys()) {
    const bool is_here = key.section == section;
    const std::string_view name = is_here ? key.name : key.section;
    if ((!is_here && !section.empty()) || name == last) continue;
    names.append(names.empty() ? "" : ", ").append(name);
    last = name;
  }
  return names;
}

Result<void> read_table(const TomlNode& table, std::string_view section, const std::string& file,
                        OperatorPolicy& policy) {  // NOLINT(misc-no-recursion): sections hold no sections
  for (const TomlNode& node : table.items) {
    const std::string where = file + ":" + std::to_string(node.line) + " " + node.key;
    if (const PolicyKey* key = find_key(section, node.key)) {
      if (Result<void> set = set_key(*key, node, where, policy); !set) return set;
    } else if (section.empty() && is_section(node.key)) {
      if (node.kind != Kind::table) return wrong(where, "a table");
      if (Result<void> read = read_table(node, node.key, file, policy); !read) return read;
    } else {
      return fail("unknown_key", "is not known", where, "known here: " + known_names(section));
    }
  }
  return {};
}

}  // namespace

Result<void> read_policy(std::string_view toml, const std::string& name, OperatorPolicy& policy) {
  Result<TomlNode> tree = parse_toml(toml);
  if (!tree) {
    tree.error().where = name + ":" + tree.error().where.substr(std::string_view("line ").size());
    return Unexpected<Error>{tree.error()};
  }
  return read_table(*tree, "", name, policy);
}

}  // namespace cocoon
