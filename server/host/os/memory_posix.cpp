// Own memory on POSIX systems: Linux tells it in /proc.
#include "host/os/memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace cocoon::os {

std::uint64_t resident_bytes() {
  const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t n = ::read(fd, text.data(), text.size());
  ::close(fd);
  std::string_view rest(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  rest.remove_prefix(rest.find(' ') == std::string_view::npos ? rest.size() : rest.find(' ') + 1);
  std::uint64_t pages = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), pages);
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace cocoon::os
