// Copies: stages host files and trees into the workspace, from outside, before the guest starts.
#include "copies.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace cocoon::linux_driver {
namespace {

constexpr int max_depth = 128;
constexpr std::size_t piece = std::size_t{8} << 20;  // copied between two questions whether to stop

using Stop = std::function<bool()>;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Unexpected<Error> failed(const std::string& what, const std::string& path) {
  const int error = errno;
  return fail("copy_failed", "cannot " + what + ": " + std::strerror(error), path,
              error == ENOSPC ? "raise --disk, or give a folder with --work" : "");
}

Unexpected<Error> stopped(const std::string& path) {
  return fail("copy_stopped",
              "cancelled, or not done within the time limit, while files were copied into the workspace", path,
              "copy less, or raise --timeout");
}

Result<void> copy_content(int from, int to, const std::string& path, const Stop& stop) {
  if (::ioctl(to, FICLONE, from) == 0) return {};
  bool by_kernel = true;
  std::vector<char> buffer;
  for (;;) {
    if (stop()) return stopped(path);
    ssize_t moved = 0;
    if (by_kernel) {
      moved = ::copy_file_range(from, nullptr, to, nullptr, piece, 0);
      if (moved < 0 && (errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS)) {
        by_kernel = false;  // these two file systems cannot; the offsets have not moved
        buffer.resize(1 << 18);
        continue;
      }
      if (moved == 0) {  // the end, or a file (as in /proc) whose size says nothing
        by_kernel = false;
        buffer.resize(1 << 18);
        continue;
      }
    } else {
      moved = ::read(from, buffer.data(), buffer.size());
      for (ssize_t done = 0; done < moved;) {
        const ssize_t written = ::write(to, buffer.data() + done, static_cast<std::size_t>(moved - done));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failed("write the copy", path);
        done += written;
      }
      if (moved == 0) return {};
    }
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return failed("copy", path);
  }
}

Result<void> copy_file(int from, const struct stat& info, int folder, const char* name, const std::string& path,
                       const Stop& stop) {
  // What is there already may be a link or a file that somebody else reads through: replaced, never written through.
  if (::unlinkat(folder, name, 0) != 0 && errno != ENOENT) return failed("replace what is in the workspace", path);
  const Descriptor to(::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (to.get() < 0) return failed("create the copy", path);
  if (auto copied = copy_content(from, to.get(), path, stop); !copied) return copied;
  const timespec times[2] = {info.st_atim, info.st_mtim};
  ::futimens(to.get(), times);
  // Never set-user-ID: it would mean another user's rights on the host, where the copy may outlive the run.
  if (::fchmod(to.get(), info.st_mode & 0777) != 0) return failed("set the permissions of the copy", path);
  return {};
}

Result<void> copy_link(int from_folder, const char* from_name, int folder, const char* name, const std::string& path) {
  char target[4096];
  const ssize_t length = ::readlinkat(from_folder, from_name, target, sizeof target - 1);
  if (length < 0) return failed("read the link", path);
  target[length] = '\0';
  if (::unlinkat(folder, name, 0) != 0 && errno != ENOENT) return failed("replace what is in the workspace", path);
  if (::symlinkat(target, folder, name) != 0) return failed("create the link", path);
  return {};
}

Result<void> copy_tree(int from, const struct stat& info, int folder, const char* name, const std::string& path,
                       int depth, const Stop& stop) {
  if (depth > max_depth)
    return fail("copy_failed", "the tree is more than " + std::to_string(max_depth) + " folders deep", path);
  if (::mkdirat(folder, name, 0700) != 0 && errno != EEXIST) return failed("create the folder", path);
  const Descriptor to(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (to.get() < 0) return failed("open the copied folder", path);
  const int list_fd = ::openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = list_fd >= 0 ? ::fdopendir(list_fd) : nullptr;
  if (!list) {
    const int error = errno;
    if (list_fd >= 0) ::close(list_fd);
    errno = error;
    return failed("list the folder", path);
  }
  Result<void> result;
  while (result) {
    if (stop()) {
      result = stopped(path);
      break;
    }
    errno = 0;
    const dirent* entry = ::readdir(list);
    if (!entry) {
      if (errno != 0) result = failed("list the folder", path);
      break;
    }
    const std::string_view child = entry->d_name;
    if (child == "." || child == "..") continue;
    const std::string child_path = path + "/" + entry->d_name;
    struct stat child_info;
    if (::fstatat(from, entry->d_name, &child_info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) result = failed("look at", child_path);  // gone meanwhile: not there to be copied
      continue;
    }
    if (S_ISLNK(child_info.st_mode)) {
      result = copy_link(from, entry->d_name, to.get(), entry->d_name, child_path);
      continue;
    }
    if (!S_ISREG(child_info.st_mode) && !S_ISDIR(child_info.st_mode)) continue;
    // Between the look and the open the entry may have been swapped: the descriptor's own type decides.
    const Descriptor opened(::openat(from, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (opened.get() < 0 || ::fstat(opened.get(), &child_info) != 0) {
      if (errno == ENOENT || errno == ELOOP || errno == ENXIO) continue;
      result = failed("open", child_path);
    } else if (S_ISREG(child_info.st_mode)) {
      result = copy_file(opened.get(), child_info, to.get(), entry->d_name, child_path, stop);
    } else if (S_ISDIR(child_info.st_mode)) {
      result = copy_tree(opened.get(), child_info, to.get(), entry->d_name, child_path, depth + 1, stop);
    }
  }
  ::closedir(list);
  if (!result) return result;
  const timespec times[2] = {info.st_atim, info.st_mtim};
  ::futimens(to.get(), times);
  if (::fchmod(to.get(), info.st_mode & 0777) != 0) return failed("set the permissions of the copy", path);
  return {};
}

}  // namespace

Result<void> copy_into(const Copy& copy, int workspace, const std::function<bool()>& stop) {
  open_how how = {};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const Descriptor source(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, copy.source.c_str(), &how, sizeof how)));
  if (source.get() < 0) return failed("open what is to be copied", copy.source);
  struct stat info;
  if (::fstat(source.get(), &info) != 0) return failed("look at what is to be copied", copy.source);
  if (S_ISREG(info.st_mode)) return copy_file(source.get(), info, workspace, copy.name.c_str(), copy.source, stop);
  if (S_ISDIR(info.st_mode)) return copy_tree(source.get(), info, workspace, copy.name.c_str(), copy.source, 0, stop);
  return fail("copy_failed", "only files and folders can be copied", copy.source);
}

}  // namespace cocoon::linux_driver
