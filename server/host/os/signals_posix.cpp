// Events and signals on POSIX systems: a byte in a pipe.
#include "host/os/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace cocoon::os {
namespace {

volatile sig_atomic_t last_signal = 0;
const Event* signal_event = nullptr;

void on_signal(int number) {
  const int saved = errno;
  last_signal = number;
  signal_event->set();
  errno = saved;
}

// SIG_IGN would be inherited by every program started later; a handler is not.
void on_broken_pipe(int) {}

}  // namespace

Event::Event() {
  int ends[2];
#if defined(__linux__)
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
#else
  if (::pipe(ends) != 0) return;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  read_end_ = ends[0];
  write_end_ = ends[1];
}

Event::~Event() {
  for (const int end : {read_end_, write_end_}) {
    if (end >= 0) ::close(end);
  }
}

void Event::set() const {
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(write_end_, &byte, 1);
}

const Event& cancel_on_signals() {
  static const Event& event = *new Event;  // a signal may come as late as it likes
  if (signal_event != nullptr) return event;
  signal_event = &event;
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before;
    // Who started us with nohup, or in the background of a shell without job control, wants the signal ignored.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  action.sa_handler = on_broken_pipe;
  ::sigaction(SIGPIPE, &action, nullptr);
  // Inherited from whoever started us: ignored, the kernel would throw exit codes away; blocked, nobody could end us.
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&ours, number);
  ::sigprocmask(SIG_UNBLOCK, &ours, nullptr);
  return event;
}

NoBrokenPipe::NoBrokenPipe() {
  sigset_t pipe_only;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  sigset_t before;
  // Blocked already, it is the caller's to deal with.
  undo_ = ::pthread_sigmask(SIG_BLOCK, &pipe_only, &before) == 0 && sigismember(&before, SIGPIPE) == 0;
}

NoBrokenPipe::~NoBrokenPipe() {
  if (!undo_) return;
  sigset_t pipe_only;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  sigset_t pending;
  // A write of this thread leaves the signal pending for this thread: taken back before it can be delivered.
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1) {
    int taken = 0;
    sigwait(&pipe_only, &taken);
  }
  ::pthread_sigmask(SIG_UNBLOCK, &pipe_only, nullptr);
}

int cancelled_by() { return last_signal; }

}  // namespace cocoon::os
