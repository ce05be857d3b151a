// Steps: the isolation sequence as a prepared list of system calls, which the child walks without deciding, allocating or locking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
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
  Argument(char* const* strings) : Argument(static_cast<const void*>(strings)) {}
  Argument(std::nullptr_t) {}
  Argument(Slot slot) : value(slot.index), is_slot(true) {}
};

struct Step {
  // Pseudo calls. store_slot: writes slot args[1] as int to the address args[0]. aside: the next args[0] steps are taken
  // by a helper that shares memory, slots and descriptors, while the walk goes on behind them. join: waits for the helper.
  static constexpr long store_slot = -1, aside = -2, join = -3;

  const char* name = "";  // "mount /proc": what the user reads when the step fails
  long number = 0;        // of the system call
  std::array<long, 6> args = {};
  std::int64_t expected = -1;                  // exact result that counts as success; -1: anything not negative
  std::array<std::int16_t, 2> tolerated = {};  // errnos after which the walk goes on all the same
  std::int8_t result_slot = -1;                // where the result is kept
  std::uint8_t slot_arguments = 0;             // bit i: args[i] is the number of a slot

  void set(std::size_t i, const Argument& argument) {
    args[i] = argument.value;
    slot_arguments =
        static_cast<std::uint8_t>(argument.is_slot ? slot_arguments | 1U << i : slot_arguments & ~(1U << i));
  }
};

class Steps {
 public:
  static constexpr std::size_t max_slots = 48;

  Steps() { list_.reserve(usual_steps); }

  template <typename... Args>
  Step& add(const char* name, long number, Args... args) {
    static_assert(sizeof...(args) <= 6);
    Step& step = list_.emplace_back();
    step.name = name;
    step.number = number;
    std::size_t i = 0;
    (step.set(i++, Argument(args)), ...);
    return step;
  }

  // The same, keeping the result.
  template <typename... Args>
  Slot add_slot(const char* name, long number, Args... args) {
    Slot slot = new_slot();
    add(name, number, args...).result_slot = static_cast<std::int8_t>(slot.index);
    return slot;
  }

  // What `body` adds runs beside the steps that follow, up to the join. One at a time; its slots are not used by others.
  template <typename Body>
  void add_aside(const char* name, Body body) {
    const std::size_t at = list_.size();
    add(name, Step::aside, 0);
    body();
    list_[at].set(0, Argument(list_.size() - at - 1));
  }
  void add_join(const char* name) { add(name, Step::join); }

  void store(Slot slot, int* address) { add("store", Step::store_slot, address, static_cast<long>(slot.index)); }

  // Storage that lives as long as the list, at an address that does not change.
  const char* keep(std::string_view text);
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
  // Storage is taken from few large pieces: hundreds of small ones would cost more than the calls they are for.
  static constexpr std::size_t usual_steps = 384, piece_bytes = 16384;
  std::vector<std::unique_ptr<unsigned char[]>> pieces_;
  unsigned char* free_bytes_ = nullptr;
  std::size_t free_size_ = 0;
  std::vector<std::uint8_t> free_;
  std::uint8_t used_ = 0;
};

}  // namespace cocoon::linux_driver
