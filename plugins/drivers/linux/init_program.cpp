// The init program as a descriptor to execute: a sealed copy in memory, so that no path on the host leads to it.
#include "init_program.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

// From init.c, by way of the assembler's .incbin.
extern "C" {
extern const unsigned char cocoon_init_begin[];
extern const unsigned char cocoon_init_end[];
}

namespace cocoon::linux_driver {
namespace {

Result<int> make() {
  const auto failed = [](const char* what) {
    return fail("setup_failed", std::string("cannot ") + what + ": " + std::strerror(errno), "init",
                errno == EACCES ? "the sysctl vm.memfd_noexec must be 0 or 1" : "");
  };
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  long fd = ::syscall(SYS_memfd_create, "cocoon-init", flags | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = ::syscall(SYS_memfd_create, "cocoon-init", flags);  // before Linux 6.3
  if (fd < 0) return failed("create the memory file of init");
  const std::size_t size =
      reinterpret_cast<std::uintptr_t>(cocoon_init_end) - reinterpret_cast<std::uintptr_t>(cocoon_init_begin);
  const int writable = static_cast<int>(fd);
  errno = EIO;  // what a short write (RLIMIT_FSIZE) leaves
  if (::write(writable, cocoon_init_begin, size) != static_cast<ssize_t>(size) ||
      ::fcntl(writable, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const Unexpected<Error> error = failed("fill the memory file of init");
    ::close(writable);
    return error;
  }
  if (writable > 9) return writable;
  const int high = ::fcntl(writable, F_DUPFD_CLOEXEC, 10);
  ::close(writable);
  if (high < 0) return failed("keep the memory file of init");
  return high;
}

}  // namespace

Result<int> init_program() {
  static std::mutex mutex;
  static int kept = -1;
  const std::lock_guard lock(mutex);
  if (kept >= 0) return kept;
  Result<int> made = make();
  if (made) kept = *made;
  return made;
}

}  // namespace cocoon::linux_driver
