// Supervise: follows one sandbox from its clone to its end: output, input, limits, deadline, cancellation.
#pragma once

#include "cgroup.hpp"
#include "features.hpp"
#include "wire.h"

#include <cocoon/abi.h>
#include <cocoon/plan.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace cocoon::linux_driver {

enum class KillReason : std::uint8_t { none, timeout, memory, pids, cpu, output, cancelled, setup, blind };

// What is known once nothing of the sandbox lives any more.
struct Ending {
  std::optional<wire_record> failed;  // WIRE_STEP_FAILED
  std::optional<wire_record> exec_failed;
  std::optional<wire_record> exited;  // from init
  std::optional<Error> copy_error;
  std::vector<std::string> planted;
  double duration_ms = 0;
  std::uint64_t sampled_peak_kib = 0;
  std::uint64_t sampled_cpu_us = 0;
  std::uint64_t max_rss_kib = 0;  // of the largest process that was waited for
  std::uint64_t waited_cpu_us = 0;
  std::uint64_t output_bytes[2] = {0, 0};
  int init_status = 0;                   // wait status of pid 1
  int shared = -1;                       // the shared scratch for the next stage; the caller's to close
  KillReason killed = KillReason::none;  // by us, the first reason
  bool reaped = false;                   // false: the kernel has not finished the kill in time; left to be reaped later
  bool status_lost = false;              // somebody else waited for it: how it ended is not known
  bool started = false;                  // the payload was executed, or all but that was done
  bool max_rss_is_ours = false;          // max_rss_kib is no more than an upper bound
  bool disk_full = false;
  bool pids_over = false;
};

// Descriptors of the supervisor's side; all are closed by supervise.
struct Ends {
  int pid_fd = -1;
  int control = -1;
  int output[2] = {-1, -1};
  int input = -1;  // the write end of the guest's standard input; -1: empty
};

// Copies what the stage wants into the workspace inside; asks stop now and then and gives up once it says yes.
using StageCopies = std::function<Result<void>(int workspace, const std::function<bool()>& stop)>;

// Blocks until the sandbox is gone, or until 90 ms after a kill that the kernel has not finished. stage_copies is called
// once, with a descriptor of the workspace inside, if the stage has copies.
Ending supervise(const Stage& stage, const Watch& watch, const RunCgroups& groups, long pid, Ends ends,
                 const cocoon_run_io& io, const StageCopies& stage_copies);

}  // namespace cocoon::linux_driver
