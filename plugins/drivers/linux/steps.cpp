// Steps: slot numbers are given out and taken back while the list is being prepared.
#include "steps.hpp"

#include <cassert>

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
  return values_.emplace_back((size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)).data();
}

}  // namespace cocoon::linux_driver
