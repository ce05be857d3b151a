// What a person sees of a pipeline while it runs: where each step's output begins, and how the step ended.
#pragma once

#include "cli/guest_io.hpp"

#include <cocoon/outcome.hpp>
#include <cocoon/plan.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace cocoon::cli {

class StepReport {
 public:
  // Both must outlive it. Nothing is said about a plan of one stage.
  StepReport(const Plan& plan, GuestIo& io);
  StepReport(const StepReport&) = delete;
  StepReport& operator=(const StepReport&) = delete;

  // What is left to be said at the end; empty: nothing.
  static std::string rest(const Outcome& outcome);

 private:
  void begin(std::uint32_t index);
  void end(std::uint32_t index, const Outcome& outcome);

  const Plan& plan_;
  GuestIo& io_;
  bool terminal_;
};

}  // namespace cocoon::cli
