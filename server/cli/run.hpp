// What run and exec share.
#pragma once

#include "cli/invocation.hpp"

namespace cocoon::cli {

// measured: what the run took is said even when nothing went wrong. Returns the exit code.
int run_guest(const Invocation& invocation, bool measured);

}  // namespace cocoon::cli
