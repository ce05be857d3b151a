// Signals of the terminal and of whoever started us, turned into a descriptor that a run can wait for.
#pragma once

namespace cocoon::os {

// Once per process, from its main thread: from now on SIGINT, SIGTERM and SIGHUP make the returned descriptor readable
// instead of ending the process, and writing to a closed pipe is an error instead of a signal. Programs started later
// get the system's own behaviour back. Returns -1 where the system refuses a pipe.
int cancel_on_signals();

// Makes the descriptor of cancel_on_signals() readable from inside the program. Any thread, signal handlers too.
void cancel_now();

// The last signal that arrived, 0 for none.
int cancelled_by();

}  // namespace cocoon::os
