// Runs a short helper program of the host's own (never the guest) and takes its output.
#pragma once

#include <cocoon/result.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cocoon::os {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct ChildOutput {
  int exit_code = 0;      // 128+n on signal n
  std::string text;       // its standard output
  std::string complaint;  // its standard error, likewise bounded
};

// argv[0] is an absolute path. The child has that environment and no other, an empty standard input and a process group of
// its own, all of which is killed when it has not ended in time or writes more than max_bytes to one of its outputs.
// Thread-safe. Descriptors of ours that are not close-on-exec would leak into it: all are.
Result<ChildOutput> run_child(const std::vector<std::string>& argv, const Environment& environment,
                              const std::string& folder, std::chrono::milliseconds timeout, std::size_t max_bytes);

}  // namespace cocoon::os
