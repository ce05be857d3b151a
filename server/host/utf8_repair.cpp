// Repair and cutting, on top of the one decoder that the project has.
#include "host/utf8_repair.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace cocoon {
namespace {

// Whether bytes, which is not empty, is the beginning of a character and no more.
bool is_cut(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const Utf8Step step = utf8_step(bytes);
  return !step.valid && step.length == bytes.size() && first >= 0xC2 && first <= 0xF4;
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
    const Utf8Step step = utf8_step(bytes);
    text.append(step.valid ? bytes.substr(0, step.length) : std::string_view("\xEF\xBF\xBD"));
    bytes.remove_prefix(step.length);
  }
  return text;
}

std::string_view without_cut_end(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const std::size_t start = bytes.size() - back;
    if (is_utf8_continuation(bytes[start])) continue;
    return is_cut(bytes.substr(start)) ? bytes.substr(0, start) : bytes;
  }
  return bytes;
}

std::string_view without_cut_start(std::string_view bytes) {
  std::size_t skip = 0;
  while (skip < std::min<std::size_t>(3, bytes.size()) && is_utf8_continuation(bytes[skip])) ++skip;
  return bytes.substr(skip);
}

}  // namespace cocoon
