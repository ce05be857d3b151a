// Profiles and defaults: what holds where a request says nothing.
#pragma once

#include "plan/planner.hpp"

#include <cstdint>

namespace cocoon {

// What holds without a profile. The table of fields tells people the same numbers.
namespace defaults {
inline constexpr std::uint64_t timeout_s = 30;
inline constexpr std::uint64_t memory_mib = 1024;
inline constexpr std::uint64_t pids = 256;
inline constexpr std::uint64_t output_mib = 256;
inline constexpr std::uint64_t open_files = 1024;
}  // namespace defaults

// A request's bounds with nothing left open.
struct Settings {
  Network net = Network::none;
  bool readonly = true;
  bool show_current_folder = true;
  std::uint64_t timeout_ms = 0;
  std::uint64_t memory_kib = 0;
  std::uint64_t pids = 0;
  std::uint64_t cpu_ms = 0;  // 0: none, here and for file_kib
  std::uint64_t disk_kib = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t file_kib = 0;
  std::uint64_t inodes = 0;
  std::uint64_t shared_work_kib = 0;  // of the work folder in memory that the steps of a pipeline share; 0: no pipeline
};

// Whether a request's rootfs stays as it is: explicitly, by the profile, or by default.
bool is_rootfs_readonly(const Request& request);

// Explicit values win over the profile, the profile over the defaults; the operator's ceilings bound all of them.
Result<Settings> settle(const Request& request, const Policy& policy);

}  // namespace cocoon
