// Keeps the beginning and the end of a stream of any length in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cocoon {

class Capture {
 public:
  Capture(std::size_t head_max, std::size_t tail_max) : head_max_(head_max), tail_max_(tail_max) {}

  void append(std::string_view data);

  std::uint64_t bytes() const { return bytes_; }                     // all that was appended
  bool truncated() const { return bytes_ > head_max_ + tail_max_; }  // some of it is lost

  // Valid UTF-8: invalid bytes became U+FFFD. Where something is lost, "\n... [N bytes cut] ...\n" stands between the
  // parts, which begin and end on a character's border.
  std::string text() const;

 private:
  std::size_t head_max_;
  std::size_t tail_max_;
  std::uint64_t bytes_ = 0;
  std::string head_;
  std::string tail_;           // a ring once it is full
  std::size_t tail_from_ = 0;  // where its oldest byte is
};

}  // namespace cocoon
