// Which paths of this host a request names: one list for whoever looks at them, judges them or records them.
#pragma once

#include "plan/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

struct HostPath {
  std::string_view field;  // of the table of fields
  std::string given;       // as in the request
  bool writable = false;   // the guest may change what is there
  std::size_t step = 0;    // of a pipeline, whose own path it is, counted from 1; 0: the request's

  std::string where() const;  // for errors: "ro /etc", "step 2: file x.py"
};

// Those of one field follow each other; those of the steps come last.
std::vector<HostPath> host_paths(const Request& request);

// Whether the values of a field are, or hold, paths of the host.
bool names_host_path(const Field& field);

}  // namespace cocoon
