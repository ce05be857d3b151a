// Head, ring and the text made of them.
#include "host/capture.hpp"

#include "host/utf8_repair.hpp"

#include <algorithm>

namespace cocoon {

void Capture::append(std::string_view data) {
  bytes_ += data.size();
  const std::size_t to_head = std::min(data.size(), head_max_ - head_.size());
  head_.append(data.substr(0, to_head));
  data.remove_prefix(to_head);
  if (data.size() > tail_max_) data.remove_prefix(data.size() - tail_max_);
  const std::size_t to_grow = std::min(data.size(), tail_max_ - tail_.size());
  tail_.append(data.substr(0, to_grow));
  data.remove_prefix(to_grow);
  while (!data.empty()) {
    const std::size_t piece = std::min(data.size(), tail_max_ - tail_from_);
    data.copy(tail_.data() + tail_from_, piece);
    data.remove_prefix(piece);
    tail_from_ = (tail_from_ + piece) % tail_max_;
  }
}

std::string Capture::text() const {
  std::string tail = tail_.substr(tail_from_) + tail_.substr(0, tail_from_);
  if (!truncated()) return repair_utf8(head_ + tail);
  const std::string_view head_kept = without_cut_end(head_);
  const std::string_view tail_kept = without_cut_start(tail);
  const std::uint64_t lost = bytes_ - head_kept.size() - tail_kept.size();
  return repair_utf8(head_kept) + "\n... [" + std::to_string(lost) + " bytes cut] ...\n" + repair_utf8(tail_kept);
}

}  // namespace cocoon
