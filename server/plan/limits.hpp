// Who enforces which bound of a run.
#pragma once

#include "plan/facts.hpp"
#include "plan/preset.hpp"
#include "plan/profile.hpp"

#include <cocoon/plan.hpp>

namespace cocoon {

Limits make_limits(const Settings& settings, const Preset* preset, const Facts& facts);

}  // namespace cocoon
