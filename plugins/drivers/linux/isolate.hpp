// Isolate: the whole sequence from the host's view into the sandbox, prepared before the clone.
#pragma once

#include "features.hpp"

#include <cstdint>

namespace cocoon::linux_driver {

struct Isolation {
  Steps steps;
  std::uint64_t clone_flags = 0;
  Watch watch;
};

// The stage must outlive the result: strings are used in place. hand_on: a later stage gets the shared scratch.
Result<void> prepare_isolation(Isolation& isolation, const Stage& stage, const Wiring& wiring, const RunCgroups& groups,
                               bool hand_on);

}  // namespace cocoon::linux_driver
