// Cuts what comes in into lines, in bounded memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::transport {

class LineReader {
 public:
  explicit LineReader(std::size_t longest) : longest_(longest) {}

  // The lines that data completes, without their ends; blank ones are left out. too_long counts those that were longer
  // than allowed, of which nothing is kept.
  std::vector<std::string> take(std::string_view data, std::size_t& too_long);

 private:
  const std::size_t longest_;
  std::string begun_;
  bool skipping_ = false;  // the line that has begun is too long
  bool first_ = true;
};

}  // namespace cocoon::transport
