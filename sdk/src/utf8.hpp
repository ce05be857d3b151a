// Well-formed UTF-8, one step at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace cocoon {

struct Utf8Step {
  std::size_t length;  // at least 1
  bool valid;          // false: the bytes are the longest beginning of a character that they could be, or a lone byte
};

inline bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// What is at the start of text, which is not empty. Overlong forms, surrogates and what lies beyond U+10FFFF are not
// well-formed.
inline Utf8Step utf8_step(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xC2 || first > 0xF4) return {1, false};
  const std::size_t wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {wanted, true};
}

}  // namespace cocoon
