// Durations and sizes as people write them: "5", "500ms", "2m", "128M".
#include "plan/request.hpp"
#include "plan/text.hpp"

#include <limits>

namespace cocoon {
namespace {

constexpr std::uint64_t longest_ms = 366ULL * 24 * 3600 * 1000;

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr Unit time_units[] = {{"ms", 1},       {"s", 1'000},     {"sec", 1'000},    {"m", 60'000},
                               {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}, {"", 1'000}};

std::string_view number_part(std::string_view text) { return text.substr(0, text.find_first_not_of("0123456789.")); }

// "1.5" of a unit that is factor smaller units long; empty where it is no number, too large, or not a whole number of
// the smaller unit.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t factor) {
  const std::size_t point = number.find('.');
  const auto whole = parse_digits(number.substr(0, point));
  if (!whole || *whole > std::numeric_limits<std::uint64_t>::max() / factor) return {};
  std::uint64_t result = *whole * factor;
  if (point == std::string_view::npos) return result;
  const std::string_view digits = number.substr(point + 1);
  const auto fraction = parse_digits(digits);
  if (!fraction || digits.size() > 6) return {};
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) scale *= 10;
  if (*fraction * factor % scale != 0) return {};
  const std::uint64_t part = *fraction * factor / scale;
  if (result > std::numeric_limits<std::uint64_t>::max() - part) return {};
  return result + part;
}

// The power of 1024 that a suffix such as "M", "mb" or "MiB" stands for.
std::optional<std::uint64_t> size_factor(std::string_view suffix, std::uint64_t bare_unit) {
  const std::string name = lower(suffix);
  if (name.empty()) return bare_unit;
  if (name == "b") return 1;
  constexpr std::string_view letters = "kmgt";
  const std::size_t power = letters.find(name.front());
  if (power == std::string_view::npos) return {};
  const std::string_view rest = std::string_view(name).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return {};
  return 1ULL << (10 * (power + 1));
}

}  // namespace

Result<std::uint64_t> parse_duration_ms(std::string_view text, std::string_view where) {
  const std::string_view number = number_part(text);
  const std::string_view suffix = text.substr(number.size());
  for (const Unit& unit : time_units) {
    if (unit.suffix != suffix) continue;
    const auto ms = scaled(number, unit.factor);
    if (!ms) break;
    if (*ms == 0) return fail("bad_value", "must be longer than nothing", std::string(where));
    if (*ms > longest_ms) return fail("bad_value", quoted(text) + " is longer than a year", std::string(where));
    return *ms;
  }
  return fail("bad_value", quoted(text) + " is not a duration, or too long", std::string(where),
              "seconds, or a number with ms, s, m or h: 5, 500ms, 2m");
}

Result<std::uint64_t> parse_size(std::string_view text, std::uint64_t bare_unit, std::string_view where) {
  const std::string_view number = number_part(text);
  const auto factor = size_factor(text.substr(number.size()), bare_unit);
  const auto bytes = factor ? scaled(number, *factor) : std::nullopt;
  if (!bytes)
    return fail("bad_value", quoted(text) + " is not a size, or too large", std::string(where),
                "a number with B, K, M, G or T: 128M, 1G");
  return *bytes;
}

}  // namespace cocoon
