// Steps: slot numbers are given out and taken back while the list is being prepared.
#include "steps.hpp"

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
  auto& value = values_.emplace_back((size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  // The vector zeroes values, which leaves their padding as it was: a list of pointers would end in garbage.
  return std::memset(value.data(), 0, value.size() * sizeof(std::max_align_t));
}

}  // namespace cocoon::linux_driver
