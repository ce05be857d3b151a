// Control groups of one run: made before the clone, read while it runs, removed after it.
#pragma once

#include "steps.hpp"

#include <cocoon/plan.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cocoon::linux_driver {

class RunCgroups {
 public:
  RunCgroups() = default;
  RunCgroups(RunCgroups&& other) noexcept;
  RunCgroups& operator=(RunCgroups&& other) noexcept;
  RunCgroups(const RunCgroups&) = delete;
  RunCgroups& operator=(const RunCgroups&) = delete;
  ~RunCgroups();  // removes the groups; the run's processes are gone by then

  // The run's processes could not be ended in time: do not wait for the groups to empty, the next run removes them.
  void abandon() { patient_ = false; }

  // Makes the groups that limits ask for (memory_by and pids_by cgroup1 or cgroup2) and sets their limits.
  static Result<RunCgroups> create(const Limits& limits);

  int clone_into() const { return clone_into_; }                       // v2: directory descriptor, else -1
  const std::vector<int>& join_descriptors() const { return joins_; }  // v1: open cgroup.procs files

  // Read at any time; 0 where the group does not count it.
  std::uint64_t oom_kills() const;
  std::uint64_t refused_forks() const;
  std::uint64_t peak_memory_kib() const;
  std::uint64_t cpu_us() const;

 private:
  struct Group {
    std::string path;
    int folder = -1;
    int version = 0;
    bool memory = false;
    bool pids = false;
  };
  Result<void> add(const std::string& parent, int version, const Limits& limits, bool memory, bool pids);
  void clear();

  std::vector<Group> groups_;
  std::vector<int> joins_;
  int clone_into_ = -1;
  bool patient_ = true;
};

}  // namespace cocoon::linux_driver
