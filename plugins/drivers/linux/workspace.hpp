// Workspace: what the run made of the protected files of the work folder. Seen from outside, and no symbolic link is followed.
#pragma once

#include <cocoon/plan.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cocoon::linux_driver {

// What tells a file from another one in its place.
struct FileMark {
  std::uint64_t device = 0, inode = 0;
  std::int64_t changed_ns = 0;
  bool exists = false;

  bool operator==(const FileMark&) const = default;
};

// Of each of stage.protected_kept, before the guest starts. Costs nothing where there are none.
std::vector<FileMark> mark_kept(const Stage& stage);

// Names of protected_paths that exist, and of protected_kept that are not what was marked. workspace is a directory
// descriptor and stays the caller's.
std::vector<std::string> planted_files(const Stage& stage, int workspace, const std::vector<FileMark>& marks);

}  // namespace cocoon::linux_driver
