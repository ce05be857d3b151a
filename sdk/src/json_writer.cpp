// JSON text, written as it is told.

#include "utf8.hpp"

#include <cocoon/json_writer.hpp>

#include <charconv>

namespace cocoon::json {
namespace {

template <typename T>
void append_number(std::string& text, T value) {
  char digits[24];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, static_cast<std::size_t>(written.ptr - digits));
}

void append_control(std::string& text, char c) {
  switch (c) {
    case '\b':
      text += "\\b";
      return;
    case '\t':
      text += "\\t";
      return;
    case '\n':
      text += "\\n";
      return;
    case '\f':
      text += "\\f";
      return;
    case '\r':
      text += "\\r";
      return;
    default:
      break;
  }
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  ((text += "\\u00") += hex[byte >> 4U]) += hex[byte & 15U];
}

}  // namespace

void Writer::begin(char open) {
  before_value();
  text_ += open;
  ++depth_;
  first_ = true;
}

void Writer::end(char close) {
  --depth_;
  if (!first_) new_line();
  text_ += close;
  first_ = false;
}

void Writer::new_line() {
  if (indent_ < 0) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
}

void Writer::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) text_ += ',';
  first_ = false;
  new_line();
}

void Writer::key(std::string_view name) {
  before_value();
  quote(name);
  text_ += indent_ < 0 ? ":" : ": ";
  after_key_ = true;
}

void Writer::text(std::string_view value) {
  before_value();
  quote(value);
}

void Writer::number(std::uint64_t value) {
  before_value();
  append_number(text_, value);
}

void Writer::number(std::int64_t value) {
  before_value();
  append_number(text_, value);
}

// By hand, since the shortest text of a rounded double needs a library function that not every platform has.
void Writer::milliseconds(double value) {
  before_value();
  const std::uint64_t whole = nearest(value * 1000);
  append_number(text_, whole / 1000);
  char digits[] = {'.', static_cast<char>('0' + whole / 100 % 10), static_cast<char>('0' + whole / 10 % 10),
                   static_cast<char>('0' + whole % 10)};
  std::size_t length = sizeof digits;
  while (length > 2 && digits[length - 1] == '0') --length;
  text_.append(digits, length);
}

void Writer::boolean(bool value) {
  before_value();
  text_ += value ? "true" : "false";
}

void Writer::texts(const std::vector<std::string>& values) {
  begin_list();
  for (const std::string& value : values) text(value);
  end_list();
}

void Writer::pairs(const std::vector<std::pair<std::string, std::string>>& values) {
  begin_object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool again = false;
    for (std::size_t later = i + 1; later < values.size() && !again; ++later)
      again = values[later].first == values[i].first;
    if (!again) put(values[i].first, values[i].second);
  }
  end_object();
}

void Writer::quote(std::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    std::size_t plain = 0;
    while (plain < value.size() && static_cast<unsigned char>(value[plain]) >= 0x20 &&
           static_cast<unsigned char>(value[plain]) < 0x80 && value[plain] != '"' && value[plain] != '\\')
      ++plain;
    text_ += value.substr(0, plain);
    value.remove_prefix(plain);
    if (value.empty()) break;
    const char c = value.front();
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      (text_ += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      append_control(text_, c);
    } else {
      const Utf8Step step = utf8_step(value);
      text_ += step.valid ? value.substr(0, step.length) : std::string_view("\xEF\xBF\xBD");
      length = step.length;
    }
    value.remove_prefix(length);
  }
  text_ += '"';
}

}  // namespace cocoon::json
