// The guest's environment and command line, made from nothing.
#pragma once

#include "plan/facts.hpp"
#include "plan/filesystem.hpp"
#include "plan/preset.hpp"
#include "plan/request.hpp"

#include <cocoon/plan.hpp>

namespace cocoon {

// Fills in name, executable, argv and env of a stage. interpreter: the preset's; NULL where that is.
void set_command(const Request& request, const Preset* preset, const Interpreter* interpreter, const Settings& settings,
                 const View& view, Stage& stage);

}  // namespace cocoon
