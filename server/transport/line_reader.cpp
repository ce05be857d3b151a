// Lines as clients send them: some end them with CR LF, some begin the first with a byte order mark.
#include "transport/line_reader.hpp"

namespace cocoon::transport {

std::vector<std::string> LineReader::take(std::string_view data, std::size_t& too_long) {
  std::vector<std::string> lines;
  while (!data.empty()) {
    const std::size_t end = data.find('\n');
    const std::string_view piece = data.substr(0, end);
    if (!skipping_ && begun_.size() + piece.size() > longest_) {
      skipping_ = true;
      begun_ = {};
    }
    if (!skipping_) begun_.append(piece);
    if (end == std::string_view::npos) return lines;
    data.remove_prefix(end + 1);
    if (skipping_) {
      ++too_long;
    } else {
      if (first_ && begun_.starts_with("\xEF\xBB\xBF")) begun_.erase(0, 3);
      first_ = false;
      if (begun_.ends_with('\r')) begun_.pop_back();
      if (begun_.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(std::move(begun_));
    }
    begun_ = {};
    skipping_ = false;
  }
  return lines;
}

}  // namespace cocoon::transport
