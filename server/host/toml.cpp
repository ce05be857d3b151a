// Reading TOML. The one place that includes the library: its macros have to be the same wherever its code is made.
#include "host/toml.hpp"

#include <cocoon/json_writer.hpp>

// Without streams, which would cost every start of the program: the standard library reads numbers without them.
#define TOML_FLOAT_CHARCONV 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

#include <optional>

namespace cocoon {
namespace {

using Kind = TomlNode::Kind;

std::string line_text(std::size_t line) { return "line " + std::to_string(line); }

// The library bounds how deeply values may be nested.
TomlNode node_of(const toml::node& from) {  // NOLINT(misc-no-recursion)
  TomlNode node;
  node.line = from.source().begin.line;
  if (const auto* table = from.as_table()) {
    for (const auto& [key, value] : *table) {
      node.items.push_back(node_of(value));
      node.items.back().key = std::string(key.str());
    }
  } else if (const auto* list = from.as_array()) {
    node.kind = Kind::list;
    for (const toml::node& item : *list) node.items.push_back(node_of(item));
  } else if (const auto* text = from.as_string()) {
    node.kind = Kind::text;
    node.text = text->get();
  } else if (const auto* whole = from.as_integer()) {
    node.kind = Kind::integer;
    node.integer = whole->get();
  } else if (const auto* flag = from.as_boolean()) {
    node.kind = Kind::flag;
    node.flag = flag->get();
  } else if (const auto* number = from.as_floating_point()) {
    node.kind = Kind::number;
    node.number = number->get();
  } else {
    node.kind = Kind::other;
  }
  return node;
}

class JsonText {
 public:
  void write(const TomlNode& node) {  // NOLINT(misc-no-recursion): as above
    switch (node.kind) {
      case Kind::table:
        writer_.begin_object();
        for (const TomlNode& member : node.items) {
          writer_.key(member.key);
          write(member);
        }
        return writer_.end_object();
      case Kind::list:
        writer_.begin_list();
        for (const TomlNode& item : node.items) write(item);
        return writer_.end_list();
      case Kind::text:
        return writer_.text(node.text);
      case Kind::integer:
        return writer_.number(node.integer);
      case Kind::flag:
        return writer_.boolean(node.flag);
      case Kind::number:
        if (node.number >= 0) return writer_.milliseconds(node.number);
        break;
      case Kind::other:
        break;
    }
    if (!error_)
      error_ = Error{"bad_value", "is neither text, a number, true, false, a list nor a table", line_text(node.line),
                     "put it in quotes"};
    writer_.text("");
  }

  Result<std::string> take() {
    if (error_) return Unexpected<Error>{*error_};
    return writer_.take();
  }

 private:
  json::Writer writer_{-1};
  std::optional<Error> error_;
};

}  // namespace

Result<TomlNode> parse_toml(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return fail("bad_syntax", std::string(parsed.error().description()), line_text(parsed.error().source().begin.line));
  return node_of(parsed.table());
}

Result<std::string> toml_to_json(std::string_view text) {
  const Result<TomlNode> tree = parse_toml(text);
  if (!tree) return Unexpected<Error>{tree.error()};
  JsonText json;
  json.write(*tree);
  return json.take();
}

}  // namespace cocoon
