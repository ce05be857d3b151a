// Small pure text helpers of the plan layer.
#include "plan/text.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <charconv>

namespace cocoon {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::size_t cut = std::min(text.size(), longest);
  while (cut > 0 && cut < text.size() && is_utf8_continuation(text[cut])) --cut;
  std::string result = "'";
  result += text.substr(0, cut);
  result += cut < text.size() ? "...'" : "'";
  return result;
}

Unexpected<Error> in_step(bool is_pipeline, std::size_t number, Error error) {
  if (is_pipeline) error.where = "step " + std::to_string(number) + (error.where.empty() ? "" : ": " + error.where);
  return {std::move(error)};
}

std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || text.front() < '0' || text.front() > '9') return {};
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return {};
  return value;
}

bool is_plugin_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() < 'a' || name.front() > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return words;
}

}  // namespace cocoon
