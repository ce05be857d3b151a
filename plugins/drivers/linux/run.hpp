// Run: one stage of a plan, from prepared steps to a classified Outcome.
#pragma once

#include "steps.hpp"

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

#include <functional>

namespace cocoon::linux_driver {

// What one stage of a plan leaves to the next: a mount of the shared scratch, in no mount table, that goes away with its
// descriptor.
struct Baton {
  int shared = -1;       // before the run: from the stage before; after it: for the next one. The caller's to close
  bool hand_on = false;  // there is a next one
};

// Thread-safe. Our own failures are Outcomes too (setup_failed), so that callers have one thing to read. edit, if given,
// may change the prepared steps before they are walked: so tests make each of them fail.
Outcome run_stage(const Stage& stage, const cocoon_run_io& io, const std::function<void(Steps&)>& edit = {},
                  Baton* baton = nullptr);

}  // namespace cocoon::linux_driver
