// The quick way through JSON: one pass, values built where they stay.
#include "json_quick.hpp"

#include <array>

namespace cocoon::json {
namespace {

class QuickParser {
 public:
  explicit QuickParser(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool whole(Value& value) { return any(value, 0) && at_ == end_; }

 private:
  bool any(Value& value, std::size_t depth) {
    if (at_ == end_ || ++values_ > max_values) return false;
    switch (*at_) {
      case '{':
        return depth < max_depth && object(value, depth);
      case '[':
        return depth < max_depth && list(value, depth);
      case '"':
        value.kind = Kind::text;
        return text(value.text);
      case 't':
        value.boolean = true;
        [[fallthrough]];
      case 'f':
        value.kind = Kind::boolean;
        return word(value.boolean ? "true" : "false");
      case 'n':
        return word("null");
      default:
        return number(value);
    }
  }

  bool word(std::string_view expected) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  bool take(char expected) {
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }

  bool object(Value& value, std::size_t depth) {
    value.kind = Kind::object;
    ++at_;
    if (take('}')) return true;
    value.members.reserve(4);
    do {
      Member& member = value.members.emplace_back();
      if (at_ == end_ || *at_ != '"' || !text(member.key) || !take(':')) return false;
      if (is_repeated(value.members)) return false;
      if (!any(member.value, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  // Our objects are small; one so large that this would take long is left to the full parser.
  static bool is_repeated(const std::vector<Member>& members) {
    constexpr std::size_t most = 64;
    if (members.size() > most) return true;
    for (std::size_t i = 0; i + 1 < members.size(); ++i)
      if (members[i].key == members.back().key) return true;
    return false;
  }

  bool list(Value& value, std::size_t depth) {
    value.kind = Kind::list;
    ++at_;
    if (take(']')) return true;
    value.list.reserve(8);
    do {
      if (!any(value.list.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  static bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

  bool text(std::string& out) {
    ++at_;
    for (;;) {
      const char* start = at_;
      while (at_ != end_ && is_plain(*at_)) ++at_;
      out.append(start, static_cast<std::size_t>(at_ - start));
      if (take('"')) return true;
      if (!take('\\') || at_ == end_) return false;
      const char escaped = unescape(*at_++);
      if (escaped == 0) return false;
      out += escaped;
    }
  }

  static char unescape(char c) {
    switch (c) {
      case '"':
      case '\\':
      case '/':
        return c;
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      default:
        return 0;
    }
  }

  // Both parts of a fraction are exact in a double when they are this short, so their quotient is the nearest one.
  bool number(Value& value) {
    constexpr std::size_t most_digits = 15;
    static constexpr std::array<double, 7> powers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    std::uint64_t digits = 0;
    const std::size_t whole = read_digits(digits);
    if (whole == 0 || whole > most_digits || (leading_zero_ && whole > 1)) return false;
    if (!take('.')) {
      value.kind = Kind::integer;
      value.integer = digits;
      return !continues_number();
    }
    const std::size_t fraction = read_digits(digits);
    if (fraction == 0 || fraction >= powers.size() || whole + fraction > most_digits) return false;
    value.kind = Kind::number;
    value.number = static_cast<double>(digits) / powers[fraction];
    return !continues_number();
  }

  std::size_t read_digits(std::uint64_t& digits) {
    const char* start = at_;
    leading_zero_ = at_ != end_ && *at_ == '0';
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9' && at_ - start < 20; ++at_)
      digits = digits * 10 + static_cast<std::uint64_t>(*at_ - '0');
    return static_cast<std::size_t>(at_ - start);
  }

  bool continues_number() const {
    return at_ != end_ && (*at_ == 'e' || *at_ == 'E' || *at_ == '.' || (*at_ >= '0' && *at_ <= '9'));
  }

  const char* at_;
  const char* end_;
  std::size_t values_ = 0;
  bool leading_zero_ = false;
};

}  // namespace

std::optional<Value> parse_quickly(std::string_view text) {
  std::optional<Value> value(std::in_place);
  if (!QuickParser(text).whole(*value)) value.reset();
  return value;
}

}  // namespace cocoon::json
