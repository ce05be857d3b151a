// JSON text, written as it is told: no tree is built for it, since a run pays for each microsecond before its start.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon::json {

// The nearest whole number, at most 9e15; 0 for what is negative, infinite or no number. By hand, since std::round would bring in
// the maths library, which costs every start of the program.
inline std::uint64_t nearest(double value) {
  constexpr double largest = 9e15;
  if (!(value > 0 && value < std::numeric_limits<double>::infinity())) return 0;
  const double bounded = value < largest ? value : largest;
  const auto whole = static_cast<std::uint64_t>(bounded);
  return bounded - static_cast<double>(whole) < 0.5 ? whole : whole + 1;
}

// Keys and values have to be given in the order and nesting of the text. indent < 0: everything on one line.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_list() { begin('['); }
  void end_list() { end(']'); }

  void key(std::string_view name);
  void text(std::string_view value);  // what is not UTF-8 in it becomes U+FFFD
  void number(std::uint64_t value);
  void number(std::int64_t value);
  void milliseconds(double value);  // three digits after the point; neither negative nor infinite
  void boolean(bool value);

  void texts(const std::vector<std::string>& values);
  void pairs(const std::vector<std::pair<std::string, std::string>>& values);  // an object; the last of a name counts

  // One member of an object.
  void put(std::string_view name, std::string_view value) { key(name), text(value); }
  void put(std::string_view name, const char* value) { key(name), text(value); }
  void put(std::string_view name, const std::string& value) { key(name), text(value); }
  void put(std::string_view name, bool value) { key(name), boolean(value); }
  void put(std::string_view name, int value) { key(name), number(static_cast<std::int64_t>(value)); }
  void put(std::string_view name, std::uint32_t value) { key(name), number(static_cast<std::uint64_t>(value)); }
  void put(std::string_view name, std::uint64_t value) { key(name), number(value); }
  void put(std::string_view name, const std::vector<std::string>& values) { key(name), texts(values); }

  // Likewise, left out where the value is the default.
  template <typename T>
  void put_unless(const T& fallback, std::string_view name, const T& value) {
    if (!(value == fallback)) put(name, value);
  }
  template <typename T>
  void put_some(std::string_view name, const T& value) {
    put_unless(T{}, name, value);
  }

  std::string take() { return std::move(text_); }

 private:
  void begin(char open);
  void end(char close);
  void before_value();
  void new_line();
  void quote(std::string_view value);

  std::string text_;
  int indent_;
  std::size_t depth_ = 0;
  bool first_ = true;       // nothing was written in the innermost object or list yet
  bool after_key_ = false;  // the value belongs to the key just written
};

}  // namespace cocoon::json
