// Small pure text helpers of the plan layer.
#pragma once

#include <cocoon/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

// Nothing but well-formed UTF-8: a Plan is JSON and could not carry anything else unchanged.
bool is_utf8(std::string_view text);

inline bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// Without white space at both ends.
std::string_view trim(std::string_view text);

// The text in single quotes, shortened on a character boundary: what an error message says about a value.
std::string quoted(std::string_view text);

// The error as one of a step of a pipeline, counted from 1. Not of a pipeline: as it is.
Unexpected<Error> in_step(bool is_pipeline, std::size_t number, Error error);

// Decimal digits only; empty where the text is anything else or does not fit.
std::optional<std::uint64_t> parse_digits(std::string_view text);

// What plugins, presets and their aliases may be called: [a-z][a-z0-9-]*, at most 64. It is also the name of a file and
// the value of an option.
bool is_plugin_name(std::string_view name);

// In lower case, as far as its letters are ASCII.
std::string lower(std::string_view text);

// Whether a list has this item.
template <typename List, typename Item>
bool contains(const List& list, const Item& item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

// "a|b|c" -> a, b, c.
std::vector<std::string_view> split(std::string_view text, char separator);
template <typename List>
std::string joined(const List& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

}  // namespace cocoon
