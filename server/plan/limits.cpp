// Who enforces which bound of a run: the strongest that this host offers.
#include "plan/limits.hpp"

namespace cocoon {
namespace {

// Where there is no cgroup, fallback does it.
Enforcer enforcer_of(const CgroupFact& cgroup, Enforcer fallback) {
  if (cgroup.version == 2) return Enforcer::cgroup2;
  if (cgroup.version == 1) return Enforcer::cgroup1;
  return fallback;
}

}  // namespace

Limits make_limits(const Settings& settings, const Preset* preset, const Facts& facts) {
  Limits limits;
  limits.timeout_ms = settings.timeout_ms;
  limits.cpu_ms = settings.cpu_ms;
  limits.file_kib = settings.file_kib;
  limits.open_files = settings.open_files;
  limits.output_bytes = settings.output_bytes;

  limits.memory_kib = settings.memory_kib;
  limits.memory_by = enforcer_of(facts.driver.memory_cgroup, Enforcer::supervisor);
  if (limits.memory_by != Enforcer::supervisor) limits.memory_cgroup = facts.driver.memory_cgroup.parent;
  // Runtimes that reserve far more than they use (V8, JSC, Go, JVM) die under an rlimit that their memory would fit in.
  limits.memory_rlimit = limits.memory_by == Enforcer::supervisor && preset != nullptr && preset->memory_rlimit;

  limits.pids = settings.pids;
  // The kernel does not hold root to RLIMIT_NPROC.
  const Enforcer fallback = facts.uid == 0 ? Enforcer::supervisor : Enforcer::rlimit;
  limits.pids_by = enforcer_of(facts.driver.pids_cgroup, fallback);
  if (limits.pids_by != fallback) limits.pids_cgroup = facts.driver.pids_cgroup.parent;
  return limits;
}

}  // namespace cocoon
