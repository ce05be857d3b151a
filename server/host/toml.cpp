// TOML to JSON.
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

std::string line_of(const toml::source_region& source) { return "line " + std::to_string(source.begin.line); }

class Converter {
 public:
  std::string convert(const toml::table& table) {
    write(table);
    return writer_.take();
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void write(const toml::table& table) {
    writer_.begin_object();
    for (const auto& [key, value] : table) {
      writer_.key(key.str());
      write(value);
    }
    writer_.end_object();
  }

  // The library bounds how deeply values may be nested.
  void write(const toml::node& node) {
    if (const auto* table = node.as_table()) {
      write(*table);
    } else if (const auto* list = node.as_array()) {
      writer_.begin_list();
      for (const toml::node& item : *list) write(item);
      writer_.end_list();
    } else if (const auto* text = node.as_string()) {
      writer_.text(text->get());
    } else if (const auto* whole = node.as_integer()) {
      writer_.number(std::int64_t{whole->get()});
    } else if (const auto* flag = node.as_boolean()) {
      writer_.boolean(flag->get());
    } else if (const auto* number = node.as_floating_point(); number != nullptr && number->get() >= 0) {
      writer_.milliseconds(number->get());
    } else {
      if (!error_)
        error_ = Error{"bad_value", "is neither text, a number, true, false, a list nor a table",
                       line_of(node.source()), "put it in quotes"};
      writer_.text("");
    }
  }

  json::Writer writer_{-1};
  std::optional<Error> error_;
};

}  // namespace

Result<std::string> toml_to_json(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return fail("bad_syntax", std::string(parsed.error().description()), line_of(parsed.error().source()));
  Converter converter;
  std::string json = converter.convert(parsed.table());
  if (converter.error()) return Unexpected<Error>{*converter.error()};
  return json;
}

}  // namespace cocoon
