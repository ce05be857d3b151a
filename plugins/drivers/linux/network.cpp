// Network and host name: what a fresh network namespace needs to be useful, and no more.
#include "features.hpp"

#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>

namespace cocoon::linux_driver {

void add_hostname(Steps& steps, const std::string& hostname) {
  steps.add("set the host name", SYS_sethostname, steps.keep(hostname), hostname.size());
}

void add_loopback(Steps& steps) {
  ifreq request = {};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const Slot fd = steps.add_slot("open a socket", SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  steps.add("bring up the loopback interface", SYS_ioctl, fd, SIOCSIFFLAGS, steps.keep_value(request));
  steps.add("close the socket", SYS_close, fd);
  steps.free_slot(fd);
}

}  // namespace cocoon::linux_driver
