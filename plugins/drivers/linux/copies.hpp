// Copies: stages host files and trees into the workspace, from outside, before the guest starts.
#pragma once

#include <cocoon/plan.hpp>

#include <functional>

namespace cocoon::linux_driver {

// workspace: a directory descriptor; stays the caller's. Symbolic links are copied as links; neither in the source nor in
// the workspace is one ever followed. What is neither file, directory nor link (sockets, devices, pipes) is left out.
// stop is asked before each entry and every few megabytes; once it says yes, the copy fails.
Result<void> copy_into(const Copy& copy, int workspace, const std::function<bool()>& stop);

}  // namespace cocoon::linux_driver
