// Sampler: what the processes of one sandbox use, read from the sandbox's own procfs by the supervisor outside.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>

namespace cocoon::linux_driver {

struct Sample {
  std::uint64_t resident_kib = 0;  // sum over processes: shared pages count once for each
  std::uint64_t processes = 0;     // without init
  std::uint64_t tasks = 0;         // processes and threads, without init
  bool blind = false;              // a process could not be looked at, for want of descriptors or memory
  std::uint64_t cpu_us = 0;        // of all processes ever seen, as last seen
};

class Sampler {
 public:
  // proc: a directory descriptor of the sandbox's procfs; shm: of its /proc/sysvipc/shm, or -1. Both stay the caller's.
  Sampler(int proc, int shm, bool init_is_ours) : proc_(proc), shm_(shm), init_is_ours_(init_is_ours) {}

  Sample take();

  // Memory of all processes without files' pages: anonymous, swapped out, page tables, and shared. Pages shared between
  // processes count once for each. Some 10 us a process.
  struct Private {
    std::uint64_t own_kib = 0;
    std::uint64_t shared_kib = 0;
  };
  Private private_memory();

  // The same with shared pages counted once. Milliseconds per 100 MiB.
  Private exact_memory();

  // Highest resident size that process 1 has had so far.
  std::uint64_t peak_of_first_kib() const;

  // All SysV segments, attached or not: what is not mapped is in no process's figures.
  std::uint64_t sysv_shm_kib() const;

 private:
  Private sum_fields(const char* file, std::initializer_list<const char*> own, const char* shared);

  int proc_;
  int shm_;
  bool init_is_ours_;  // process 1 is our init and not the guest's payload
  std::map<int, std::uint64_t> cpu_us_by_pid_;
  std::uint64_t gone_cpu_us_ = 0;
};

}  // namespace cocoon::linux_driver
