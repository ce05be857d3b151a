// Kill tree: SIGKILL for every descendant of a process, without ever hitting a stranger.
#pragma once

namespace cocoon::linux_driver {

// A process is killed through a descriptor of it, and only if it is still a child of the one that was asked. What is forked
// meanwhile is missed: the end of the pid namespace takes care of that.
void kill_descendants(long pid);

}  // namespace cocoon::linux_driver
