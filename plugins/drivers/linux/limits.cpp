// Resource limits of single processes (rlimits): the kernel's own backstops beneath the limits of the whole tree.
#include "features.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>

namespace cocoon::linux_driver {
namespace {

// Never above the caller's own hard limit: raising that needs a privilege that the sandbox does not have.
void set(Steps& steps, const char* name, int resource, rlim_t wanted, rlim_t hard_on_top = 0) {
  rlimit current = {};
  rlim_t hard = wanted + hard_on_top;
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &current) == 0) hard = std::min(hard, current.rlim_max);
  steps.add(name, SYS_prlimit64, 0, resource, steps.keep_value(rlimit{std::min(wanted, hard), hard}), nullptr);
}

}  // namespace

void add_rlimits(Steps& steps, const Limits& limits) {
  set(steps, "forbid core dumps", RLIMIT_CORE, 0);
  set(steps, "limit locked memory", RLIMIT_MEMLOCK, rlim_t{8} << 20);
  set(steps, "limit message queues", RLIMIT_MSGQUEUE, 819'200);
  set(steps, "limit real-time priority", RLIMIT_RTPRIO, 0);
  if (limits.open_files) set(steps, "limit open files", RLIMIT_NOFILE, limits.open_files);
  if (limits.file_kib) set(steps, "limit file size", RLIMIT_FSIZE, rlim_t{limits.file_kib} << 10);
  // Per process, whole seconds, one more than the tree may use: the supervisor is the one that ends the run in time. The
  // signal at the soft limit tells why; the hard one a second later ends a process that catches it.
  if (limits.cpu_ms) set(steps, "limit CPU time", RLIMIT_CPU, limits.cpu_ms / 1000 + 2, 1);
  // Counted per user namespace, init included. One more than allowed, so that going over it can be seen and reported.
  if (limits.pids && limits.pids_by == Enforcer::rlimit) set(steps, "limit processes", RLIMIT_NPROC, limits.pids + 2);
  // Above the limit of the tree, which the sampler enforces: this one stops what grows faster than it can sample. The
  // kernel counts the stacks of threads whole, 8 MiB each, and numeric libraries start one for every processor; no more for
  // them than four times the limit, of which a small one would mean little otherwise.
  if (limits.memory_kib && limits.memory_rlimit) {
    const rlim_t threads = limits.pids ? std::min<rlim_t>(limits.pids, 128) : 128;
    const rlim_t limit_mib = limits.memory_kib / 1024;
    const rlim_t mib = limit_mib * 5 / 4 + 64 + std::min(threads * 8, limit_mib * 4);
    set(steps, "limit private memory", RLIMIT_DATA, mib << 20);
  }
}

}  // namespace cocoon::linux_driver
