// Signals on POSIX systems: the handler writes a byte into a pipe.
#include "host/os/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace cocoon::os {
namespace {

volatile sig_atomic_t last_signal = 0;
volatile int cancel_pipe[2] = {-1, -1};

void on_signal(int number) {
  const int saved = errno;
  last_signal = number;
  cancel_now();
  errno = saved;
}

// SIG_IGN would be inherited by every program started later; a handler is not.
void on_broken_pipe(int) {}

}  // namespace

int cancel_on_signals() {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  cancel_pipe[0] = ends[0];
  cancel_pipe[1] = ends[1];
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before;
    // Who started us with nohup or in the background of a shell without job control wants the signal ignored.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  action.sa_handler = on_broken_pipe;
  ::sigaction(SIGPIPE, &action, nullptr);
  return ends[0];
}

void cancel_now() {
  const char byte = 1;
  const int end = cancel_pipe[1];
  if (end >= 0) [[maybe_unused]]
    const ssize_t written = ::write(end, &byte, 1);
}

int cancelled_by() { return last_signal; }

}  // namespace cocoon::os
