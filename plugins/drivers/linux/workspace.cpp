// Workspace: what the run made of the protected files of the work folder.
#include "workspace.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace cocoon::linux_driver {
namespace {

int open_path(int folder, const std::string& path, std::uint64_t resolve) {
  open_how how = {};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | resolve;
  return static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

FileMark mark(int workspace, const std::string& path) {
  FileMark result;
  const int fd = open_path(workspace, path, RESOLVE_BENEATH);
  if (fd < 0) {
    // A link in the place of a folder above it leads to whatever the guest liked.
    result.exists = errno == ELOOP;
    return result;
  }
  struct stat info;
  if (::fstat(fd, &info) == 0)
    result = {info.st_dev, info.st_ino, std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec, true};
  ::close(fd);
  return result;
}

}  // namespace

std::vector<FileMark> mark_kept(const Stage& stage) {
  std::vector<FileMark> marks;
  if (stage.protected_kept.empty()) return marks;
  int workspace = -1;
  for (const Mount& mount : stage.mounts)
    if (mount.kind == MountKind::bind && mount.target == stage.workspace && workspace < 0)
      workspace = open_path(AT_FDCWD, mount.source, 0);
  for (const std::string& path : stage.protected_kept)
    marks.push_back(workspace >= 0 ? mark(workspace, path) : FileMark{});
  if (workspace >= 0) ::close(workspace);
  return marks;
}

std::vector<std::string> planted_files(const Stage& stage, int workspace, const std::vector<FileMark>& marks) {
  std::vector<std::string> planted;
  if (workspace < 0) return planted;
  for (const std::string& path : stage.protected_paths)
    if (mark(workspace, path).exists) planted.push_back(path);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const FileMark now = mark(workspace, stage.protected_kept[i]);
    if (now.exists && now != marks[i]) planted.push_back(stage.protected_kept[i]);
  }
  return planted;
}

}  // namespace cocoon::linux_driver
