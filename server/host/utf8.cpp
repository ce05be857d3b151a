// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "host/utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace cocoon {
namespace {

unsigned char at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// How many bytes a character with this first byte has; 0: none starts with it.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// Some first bytes narrow what may follow.
bool may_follow(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return is_continuation(second);
  }
}

struct Piece {
  std::size_t size;  // at least 1
  bool valid;
  bool cut;  // valid as far as it goes, but the bytes end
};

// bytes is not empty.
Piece first_piece(std::string_view bytes) {
  const unsigned char first = at(bytes, 0);
  const std::size_t wanted = length_of(first);
  if (wanted == 0) return {1, false, false};
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i == bytes.size()) return {i, false, true};
    if (i == 1 ? !may_follow(first, at(bytes, 1)) : !is_continuation(at(bytes, i))) return {i, false, false};
  }
  return {wanted, true, false};
}

}  // namespace

std::string repair_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto plain = std::find_if(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) != 0; });
    const std::size_t plain_size = static_cast<std::size_t>(plain - bytes.begin());
    text.append(bytes.substr(0, plain_size));
    bytes.remove_prefix(plain_size);
    if (bytes.empty()) break;
    const Piece piece = first_piece(bytes);
    text.append(piece.valid ? bytes.substr(0, piece.size) : std::string_view("\xEF\xBF\xBD"));
    bytes.remove_prefix(piece.size);
  }
  return text;
}

std::string_view without_cut_end(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const std::size_t start = bytes.size() - back;
    if (is_continuation(at(bytes, start))) continue;
    return first_piece(bytes.substr(start)).cut ? bytes.substr(0, start) : bytes;
  }
  return bytes;
}

std::string_view without_cut_start(std::string_view bytes) {
  std::size_t skip = 0;
  while (skip < std::min<std::size_t>(3, bytes.size()) && is_continuation(at(bytes, skip))) ++skip;
  return bytes.substr(skip);
}

}  // namespace cocoon
