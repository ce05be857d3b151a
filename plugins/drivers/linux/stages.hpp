// Stages: all of a plan, one after another, each in a sandbox of its own.
#pragma once

#include <cocoon/abi.h>
#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

namespace cocoon::linux_driver {

// Thread-safe. A plan of one stage gives that stage's Outcome, one of several an Outcome with steps. The stages share the
// scratch that is marked so and one deadline; the first that fails is the last, unless the plan says otherwise. After one
// that could not be set up, or that was cancelled, nothing is run in any case.
Outcome run_stages(const Plan& plan, const cocoon_run_io& io);

}  // namespace cocoon::linux_driver
