// What the program's own exit code is after a run.
#pragma once

#include <cocoon/outcome.hpp>

namespace cocoon::cli {

// reader_gone: nobody reads our standard output any more.
int exit_code(const Outcome& outcome, bool reader_gone);

}  // namespace cocoon::cli
