// Run: one stage of a plan, from prepared steps to a classified Outcome.
#pragma once

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

namespace cocoon::linux_driver {

// Thread-safe. Our own failures are Outcomes too (setup_failed), so that callers have one thing to read.
Outcome run_stage(const Stage& stage, const cocoon_run_io& io);

}  // namespace cocoon::linux_driver
