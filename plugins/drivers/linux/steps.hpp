// Steps: the isolation sequence as a prepared list of system calls, which the child walks without deciding, allocating or locking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace cocoon::linux_driver {

// A result of an earlier step (a descriptor), used as an argument of a later one.
struct Slot {
  std::uint8_t index;
};

struct Argument {
  long value = 0;
  bool is_slot = false;

  Argument() = default;
  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) Argument(T number) : value(static_cast<long>(number)) {}
  Argument(const void* pointer) : value(reinterpret_cast<long>(pointer)) {}
  Argument(std::nullptr_t) {}
  Argument(Slot slot) : value(slot.index), is_slot(true) {}
};

struct Step {
  static constexpr long store_slot = -1;  // pseudo call: writes slot args[1] as int to the address args[0]

  const char* name = "";  // "mount /proc": what the user reads when the step fails
  long number = 0;        // of the system call
  std::array<Argument, 6> args;
  std::int16_t result_slot = -1;      // where the result is kept
  std::int64_t expected = -1;         // exact result that counts as success; -1: anything not negative
  std::array<int, 2> tolerated = {};  // errnos after which the walk goes on all the same
};

class Steps {
 public:
  static constexpr std::size_t max_slots = 48;

  template <typename... Args>
  Step& add(const char* name, long number, Args... args) {
    static_assert(sizeof...(args) <= 6);
    Step& step = list_.emplace_back();
    step.name = name;
    step.number = number;
    std::size_t i = 0;
    ((step.args[i++] = Argument(args)), ...);
    return step;
  }

  // The same, keeping the result.
  template <typename... Args>
  Slot add_slot(const char* name, long number, Args... args) {
    Slot slot = new_slot();
    add(name, number, args...).result_slot = slot.index;
    return slot;
  }

  void store(Slot slot, int* address) { add("store", Step::store_slot, address, static_cast<long>(slot.index)); }

  // Storage that lives as long as the list, at an address that does not change.
  const char* keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }
  template <typename T>
  T* keep_value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return new (keep_bytes(sizeof(T))) T(value);
  }
  // Zeroed and aligned for anything.
  void* keep_bytes(std::size_t size);

  // Slots of closed descriptors are used again; running out is a fault of ours, not of any input.
  Slot new_slot();
  void free_slot(Slot slot) { free_.push_back(slot.index); }

  const std::vector<Step>& list() const { return list_; }
  std::vector<Step>& list() { return list_; }

 private:
  std::vector<Step> list_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::max_align_t>> values_;
  std::vector<std::uint8_t> free_;
  std::uint8_t used_ = 0;
};

}  // namespace cocoon::linux_driver
