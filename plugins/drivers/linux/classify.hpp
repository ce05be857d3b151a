// Classify: what an ending means, in the words of the Outcome; and what our own failures mean for the user.
#pragma once

#include "cgroup.hpp"
#include "steps.hpp"
#include "supervise.hpp"

#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

namespace cocoon::linux_driver {

Outcome classify(const Stage& stage, const Ending& ending, const RunCgroups& groups, const Steps& steps);

Error explain_clone_failure(int error);

}  // namespace cocoon::linux_driver
