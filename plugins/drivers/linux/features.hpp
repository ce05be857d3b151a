// What each kernel feature adds to the sequence of steps; isolate.cpp calls these in order.
#pragma once

#include "cgroup.hpp"
#include "steps.hpp"
#include "workspace.hpp"

#include <cocoon/plan.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cocoon::linux_driver {

// The parent's descriptors that the child uses. All are close-on-exec and numbered above 9, so that none is in the way
// when the guest's own 0, 1, 2 and init's 3 are put in place.
struct Wiring {
  int stdin_read = -1;
  int stdout_write = -1;
  int stderr_write = -1;
  int control = -1;     // the child's end
  int supervisor = -1;  // the supervisor's end of the same, which the child closes first
  int init = -1;        // the init program
  int shared = -1;      // the shared scratch as the stage before handed it on; -1: this stage is the first to have it
};

// What the supervisor keeps open of the sandbox's inside, in the order in which the descriptors arrive.
struct Watch {
  std::vector<std::string> tmpfs;  // targets of the plan's tmpfs mounts
  bool has_proc = false;
  bool has_workspace = false;
  bool has_sysv_shm = false;
  int wait_for_copies = 0;     // the child waits for one byte before it goes on
  std::vector<FileMark> kept;  // of the stage's protected_kept, as they were before
  std::string hand_on;         // target of the shared scratch that a later stage gets; empty: none
};

// identity.cpp
void add_die_with_parent(Steps& steps, const Wiring& wiring);
void add_identity(Steps& steps, const Identity& identity);
void add_session(Steps& steps);
void add_no_new_privs(Steps& steps);
void add_capability_drop(Steps& steps);

// mounts.cpp: opens the new root into a slot; seal and enter finish it.
Result<Slot> add_root(Steps& steps, const Stage& stage);
Result<void> add_mounts(Steps& steps, const Stage& stage, const Wiring& wiring, Slot root);
void add_enter_root(Steps& steps, const Stage& stage, Slot root);

// network.cpp
void add_hostname(Steps& steps, const std::string& hostname);
Slot add_network(Steps& steps);  // a new namespace with a loopback; the result is a socket in it
void add_enter_network(Steps& steps, Slot socket);

// landlock.cpp
Result<void> add_landlock(Steps& steps, const Stage& stage);

// seccomp.cpp
Result<void> add_seccomp(Steps& steps, const std::string& filter_name);

// limits.cpp
void add_rlimits(Steps& steps, const Limits& limits);

// cgroup.cpp
void add_cgroup_join(Steps& steps, const RunCgroups& groups);

// handover.cpp: descriptors to the supervisor, the guest's streams, and init itself.
void add_report(Steps& steps, const Wiring& wiring, const Stage& stage, const Watch& watch);
void add_streams(Steps& steps, const Wiring& wiring);
void add_start_init(Steps& steps, const Wiring& wiring, const Stage& stage);

}  // namespace cocoon::linux_driver
