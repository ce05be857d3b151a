// The child's side: walks the prepared steps in memory it shares with its parent, then becomes init or reports the step that failed.
#pragma once

#include "steps.hpp"

#include <sys/types.h>

#include <cstdint>

namespace cocoon::linux_driver {

// All that the child reads; the parent owns it and keeps it until the child has executed or ended.
struct ChildTask {
  const Step* steps = nullptr;
  std::size_t count = 0;
  int control_fd = -1;          // the child's end of the record channel
  void* aside_stack = nullptr;  // for the helper that takes steps aside
  std::size_t aside_stack_size = 0;
};

// Starts the child with clone flags (namespaces) and optionally inside a cgroup v2 group (cgroup_fd >= 0). Returns the
// child's pid, or a negative errno. pid_fd receives a close-on-exec pidfd. The caller has blocked all signals.
long start_child(std::uint64_t flags, int cgroup_fd, void* stack, std::size_t stack_size, ChildTask* task, int* pid_fd);

}  // namespace cocoon::linux_driver
