// Network and host name: what a fresh network namespace needs to be useful, and no more.
#include "features.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>

namespace cocoon::linux_driver {

void add_hostname(Steps& steps, const std::string& hostname) {
  steps.add("set the host name", SYS_sethostname, steps.keep(hostname), hostname.size());
}

Slot add_network(Steps& steps) {
  const Slot socket = steps.new_slot();
  steps.add_aside("make the network beside the rest", [&] {
    ifreq request = {};
    std::memcpy(request.ifr_name, "lo", 3);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    steps.add("create the network namespace", SYS_unshare, CLONE_NEWNET);
    steps.add("open a socket", SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0).result_slot =
        static_cast<std::int8_t>(socket.index);
    steps.add("bring up the loopback interface", SYS_ioctl, socket, SIOCSIFFLAGS, steps.keep_value(request));
  });
  return socket;
}

// The socket leads to the namespace that it was made in, wherever that is entered from.
void add_enter_network(Steps& steps, Slot socket) {
  const char* name = "enter the network namespace";
  steps.add_join("wait for the network");
  const Slot space = steps.add_slot(name, SYS_ioctl, socket, SIOCGSKNS, 0);
  steps.add(name, SYS_setns, space, CLONE_NEWNET);
  for (const Slot slot : {space, socket}) {
    steps.add("close a descriptor", SYS_close, slot);
    steps.free_slot(slot);
  }
}

}  // namespace cocoon::linux_driver
