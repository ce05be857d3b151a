// The protocol over standard input and output: one client, any number of requests at once.
#pragma once

#include "mcp/backend.hpp"
#include "transport/dispatcher.hpp"

#include <cstddef>

namespace cocoon::transport {

struct StdioOptions {
  DispatcherLimits limits;
  std::size_t longest_message = 4U << 20U;
};

// Serves until the input ends, a signal asks to end, or whoever started us has gone; then ends every run and the process.
[[noreturn]] void serve_stdio(mcp::Backend& backend, const StdioOptions& options);

}  // namespace cocoon::transport
