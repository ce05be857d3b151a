// Standard input and output as a private channel of messages, and watching over who started us.
#pragma once

#include <cocoon/result.hpp>

namespace cocoon::os {

struct Channel {
  int in = -1;
  int out = -1;
};

// Moves standard input and output to descriptors that nothing else knows: from now on descriptor 0 is empty and 1 is
// standard error, so that no library and no child can write into the channel or read from it. Standard error no longer
// blocks us where nobody reads it: what it has no room for is lost.
Result<Channel> take_channel();

// Readable once the process that started us has ended; -1: this system can't tell, or nobody is above us.
int parent_end_fd();

// The process's limit of open files, as high as it may go without asking anybody.
void raise_open_files();

// Ends the process at once, without waiting for threads.
[[noreturn]] void exit_now(int code);

}  // namespace cocoon::os
