// Steps: slot numbers are given out and taken back while the list is being prepared.
#include "steps.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace cocoon::linux_driver {

Slot Steps::new_slot() {
  if (!free_.empty()) {
    Slot slot{free_.back()};
    free_.pop_back();
    return slot;
  }
  assert(used_ < max_slots);
  return Slot{used_++};
}

void* Steps::keep_bytes(std::size_t size) {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  const std::size_t wanted = (size + alignment - 1) / alignment * alignment;
  if (wanted > free_size_) {
    free_size_ = std::max(wanted, piece_bytes);
    // Not cleared as a whole: most of it is never touched.
    free_bytes_ = pieces_.emplace_back(new unsigned char[free_size_]).get();
  }
  void* bytes = std::memset(free_bytes_, 0, wanted);
  free_bytes_ += wanted;
  free_size_ -= wanted;
  return bytes;
}

const char* Steps::keep(std::string_view text) {
  auto* copy = static_cast<char*>(keep_bytes(text.size() + 1));
  text.copy(copy, text.size());
  return copy;
}

}  // namespace cocoon::linux_driver
