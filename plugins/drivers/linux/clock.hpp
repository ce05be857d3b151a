// Clock: the monotonic time that deadlines are kept in.
#pragma once

#include <cstdint>
#include <ctime>

namespace cocoon::linux_driver {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds millisecond = 1'000'000;
constexpr Nanoseconds second = 1'000 * millisecond;

inline Nanoseconds now() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return Nanoseconds{t.tv_sec} * second + t.tv_nsec;
}

inline timespec as_timespec(Nanoseconds time) { return {time / second, time % second}; }

}  // namespace cocoon::linux_driver
