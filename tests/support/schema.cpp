// JSON Schema, as much of draft 2020-12 as the published schemas use.
#include "support/schema.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <stdexcept>

namespace cocoon::test {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::runtime_error("the schema names the type " + type);
}

bool has_one_of(const Json& value, const Json& types) {
  if (types.is_string()) return has_type(value, types);
  return std::any_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); });
}

std::string member(std::string path, const std::string& name) { return path.append(".").append(name); }

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::string check(const Json& schema, const Json& value, const std::string& path) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : path + " is not allowed";
    for (const auto& [keyword, rule] : schema.items())
      if (auto problem = check_keyword(keyword, rule, schema, value, path); !problem.empty()) return problem;
    return {};
  }

 private:
  std::string check_keyword(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
                            const std::string& path) const {
    if (keyword == "$ref") return check(resolve(rule), value, path);
    if (keyword == "type") return has_one_of(value, rule) ? "" : path + " is not of type " + rule.dump();
    if (keyword == "const") return value == rule ? "" : path + " is not " + rule.dump();
    if (keyword == "enum")
      return std::find(rule.begin(), rule.end(), value) != rule.end() ? "" : path + " is none of " + rule.dump();
    if (keyword == "minimum") return !value.is_number() || value >= rule ? "" : path + " is less than " + rule.dump();
    if (keyword == "maximum") return !value.is_number() || value <= rule ? "" : path + " is more than " + rule.dump();
    if (keyword == "pattern") return matches(rule, value) ? "" : path + " does not match " + rule.dump();
    if (keyword == "allOf" || keyword == "if") return check_logic(keyword, rule, schema, value, path);
    if (value.is_array()) return check_array(keyword, rule, value, path);
    if (value.is_object()) return check_object(keyword, rule, schema, value, path);
    return check_known(keyword);
  }

  std::string check_logic(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
                          const std::string& path) const {
    if (keyword == "allOf") {
      for (const Json& each : rule)
        if (auto problem = check(each, value, path); !problem.empty()) return problem;
      return {};
    }
    const char* branch = check(rule, value, path).empty() ? "then" : "else";
    return schema.contains(branch) ? check(schema[branch], value, path) : "";
  }

  std::string check_array(const std::string& keyword, const Json& rule, const Json& value,
                          const std::string& path) const {
    if (keyword == "minItems") return value.size() >= rule ? "" : path + " has too few items";
    if (keyword == "contains") {
      const auto fits = [&](const Json& item) { return check(rule, item, path).empty(); };
      return std::any_of(value.begin(), value.end(), fits) ? "" : path + " lacks an item that it must have";
    }
    if (keyword != "items") return check_known(keyword);
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto problem = check(rule, value[i], path + "[" + std::to_string(i) + "]"); !problem.empty()) return problem;
    return {};
  }

  std::string check_object(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
                           const std::string& path) const {
    if (keyword == "required") {
      for (const Json& name : rule)
        if (!value.contains(name.get<std::string>())) return path + " lacks " + name.dump();
    } else if (keyword == "dependentRequired") {
      for (const auto& [name, needs] : rule.items())
        for (const Json& need : needs)
          if (value.contains(name) && !value.contains(need.get<std::string>())) return path + " lacks " + need.dump();
    } else if (keyword == "properties") {
      for (const auto& [name, each] : rule.items())
        if (value.contains(name))
          if (auto problem = check(each, value[name], member(path, name)); !problem.empty()) return problem;
    } else if (keyword == "propertyNames") {
      for (const auto& [name, each] : value.items())
        if (auto problem = check(rule, name, member(path, name)); !problem.empty()) return problem;
    } else if (keyword == "additionalProperties") {
      const auto properties = schema.find("properties");
      for (const auto& [name, each] : value.items())
        if (properties == schema.end() || !properties->contains(name))
          if (auto problem = check(rule, each, member(path, name)); !problem.empty()) return problem;
    } else {
      return check_known(keyword);
    }
    return {};
  }

  // What says nothing about a value of this kind, or nothing at all.
  static std::string check_known(const std::string& keyword) {
    static const Json known = {"$schema",
                               "$defs",
                               "title",
                               "description",
                               "default",
                               "then",
                               "else",
                               "items",
                               "minItems",
                               "contains",
                               "required",
                               "properties",
                               "propertyNames",
                               "additionalProperties",
                               "dependentRequired"};
    if (std::find(known.begin(), known.end(), keyword) == known.end())
      throw std::runtime_error("the schema uses the keyword " + keyword);
    return {};
  }

  static bool matches(const std::string& pattern, const Json& value) {
    if (!value.is_string()) return true;
    static std::map<std::string, std::regex> compiled;
    auto found = compiled.find(pattern);
    if (found == compiled.end()) found = compiled.emplace(pattern, std::regex(pattern)).first;
    return std::regex_search(value.get_ref<const std::string&>(), found->second);
  }

  const Json& resolve(const std::string& reference) const {
    if (reference == "#") return root_;
    if (!reference.starts_with("#/")) throw std::runtime_error("the schema refers to " + reference);
    return root_.at(Json::json_pointer(reference.substr(1)));
  }

  const Json& root_;
};

}  // namespace

std::string validate(const Json& schema, const Json& value, const Json& root) {
  return Validator(root).check(schema, value, "$");
}

}  // namespace cocoon::test
