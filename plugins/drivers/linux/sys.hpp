// Raw system calls: no errno, no allocation, no lock, so that code sharing its parent's memory may use them.
#pragma once

#include <sys/syscall.h>

namespace cocoon::linux_driver {

// Returns what the kernel returned: a negative errno on failure.
inline long raw_syscall(long number, long a0, long a1, long a2, long a3, long a4, long a5) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = a3;
  register long r8 __asm__("r8") = a4;
  register long r9 __asm__("r9") = a5;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a0), "S"(a1), "d"(a2), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a0;
  register long x1 __asm__("x1") = a1;
  register long x2 __asm__("x2") = a2;
  register long x3 __asm__("x3") = a3;
  register long x4 __asm__("x4") = a4;
  register long x5 __asm__("x5") = a5;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "the linux driver knows x86_64 and aarch64"
#endif
}

}  // namespace cocoon::linux_driver
