// An event that a run can wait for, and the signals that set one.
#pragma once

namespace cocoon::os {

// Set once and for good; its descriptor is readable from then on.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  int fd() const { return read_end_; }  // -1: the system had no descriptor left
  void set() const;                     // any thread, signal handlers too

 private:
  int read_end_ = -1;
  int write_end_ = -1;
};

// Once per process, from its main thread: from now on SIGINT, SIGTERM and SIGHUP set the returned event instead of
// ending the process, and writing to a closed pipe is an error instead of a signal. Programs started later get the
// system's own behaviour back.
const Event& cancel_on_signals();

// While it lives, this thread's writes to a closed pipe are errors instead of a signal that ends the process. For
// programs that embed the engine: their signal handlers are theirs.
class NoBrokenPipe {
 public:
  NoBrokenPipe();
  ~NoBrokenPipe();
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  bool undo_ = false;
};

// The last signal that arrived, 0 for none.
int cancelled_by();

}  // namespace cocoon::os
