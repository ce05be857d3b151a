// Randomness on POSIX systems.
#include "host/os/random.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <stdexcept>

#if defined(__APPLE__)
#include <sys/random.h>
#endif

namespace cocoon::os {

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  // Nothing may go on with names that can be guessed.
  if (::getentropy(bytes.data(), bytes.size()) != 0) throw std::runtime_error("the system gives no random bytes");
  std::string name;
  for (const unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4U];
    name += "0123456789abcdef"[byte & 15U];
  }
  return name;
}

}  // namespace cocoon::os
