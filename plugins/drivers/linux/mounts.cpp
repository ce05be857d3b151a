// The guest's file system: a root built from nothing (or a bundle's rootfs), the plan's mounts in order, and the way into it.
//
// The new root is mounted over "/" of a private mount table, where host paths still resolve to the host's tree beneath
// it; everything inside is addressed relative to its descriptor. Where the host or an earlier guest could have planted a
// symbolic link (a workspace, a bundle's rootfs), paths are opened with RESOLVE_NO_SYMLINKS and mounts are attached to
// the descriptor, so a link is refused, never followed. Nothing is created in a host folder.
#include "features.hpp"

#include <cocoon/lexical.hpp>

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <set>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
// From <sys/mount.h>, which cannot be included together with <linux/mount.h> in Debian 12's libc.
#ifndef MNT_DETACH
#define MNT_DETACH 2
#endif

namespace cocoon::linux_driver {
namespace {

constexpr std::uint64_t base_attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// Host trees that only root can change: their paths need no protection against links planted meanwhile.
bool is_system_path(const std::string& path) {
  for (const char* tree : {"/usr/local", "/dev/shm", "/dev/mqueue"})  // others may own what is in these
    if (is_within(path, tree)) return false;
  for (const char* tree :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/dev", "/nix", "/gnu"})
    if (is_within(path, tree)) return true;
  return false;
}

class Builder {
 public:
  Builder(Steps& steps, const Stage& stage, const Wiring& wiring, Slot root)
      : steps_(steps), stage_(stage), wiring_(wiring), root_(root) {}

  Result<void> add(const Mount& mount) {
    if (mount.target.size() < 2 || mount.target[0] != '/' || mount.target.find('\0') != std::string::npos)
      return fail("bad_plan", "a mount's target must be an absolute path below /", mount.target);
    switch (mount.kind) {
      case MountKind::directory:
        return directory(mount);
      case MountKind::symlink:
        return symlink(mount);
      case MountKind::file:
        return file(mount);
      case MountKind::bind:
        return bind(mount);
      case MountKind::tmpfs:
        if (mount.shared && wiring_.shared >= 0) return handed_on(mount);
        return fresh(mount, "tmpfs", 0, tmpfs_options(mount));
      case MountKind::proc:
        return fresh(mount, "proc", MS_NOEXEC_, "");
      case MountKind::devpts:
        return fresh(mount, "devpts", MS_NOEXEC_, "newinstance,ptmxmode=0666,mode=0620");
      case MountKind::mask:
        return mask(mount);
      case MountKind::remount_ro:
        return remount_read_only(mount);
    }
    return fail("bad_plan", "unknown kind of mount", mount.target);
  }

 private:
  static constexpr unsigned long MS_RDONLY_ = 1, MS_NOSUID_ = 2, MS_NODEV_ = 4, MS_NOEXEC_ = 8;

  const char* name(const char* verb, const std::string& path) { return steps_.keep(std::string(verb) + " " + path); }
  const char* inside(const std::string& path) { return steps_.keep(std::string_view(path).substr(1)); }

  // True where the target's parent is memory that this run alone owns: there, mount points are simply made.
  bool ours(const std::string& target) const {
    bool result = stage_.root.rootfs.empty();
    std::size_t deepest = 0;
    for (const auto& [path, is_ours] : covers_)
      if (target != path && is_within(target, path) && path.size() >= deepest) {
        deepest = path.size();
        result = is_ours;
      }
    return result;
  }

  void make_parents(const std::string& target) {
    for (std::size_t slash = target.find('/', 1); slash != std::string::npos; slash = target.find('/', slash + 1)) {
      const std::string parent = target.substr(0, slash);
      if (ours(parent)) make_directory(parent, 0755);
    }
  }

  void make_directory(const std::string& path, std::uint32_t mode) {
    if (!made_.insert(path).second) return;
    steps_.add(name("make the directory", path), SYS_mkdirat, root_, inside(path), mode).tolerated = {EEXIST, 0};
  }

  void make_mount_point(const std::string& target, bool is_directory) {
    if (!ours(target)) return;
    make_parents(target);
    if (is_directory) return make_directory(target, 0755);
    if (!made_.insert(target).second) return;
    steps_.add(name("make the file", target), SYS_mknodat, root_, inside(target), S_IFREG | 0644, 0).tolerated = {
        EEXIST, 0};
  }

  Slot open_path(const char* step_name, Argument folder, const char* path, std::uint64_t resolve) {
    const auto* how = steps_.keep_value(open_how{O_PATH | O_CLOEXEC, 0, resolve});
    return steps_.add_slot(step_name, SYS_openat2, folder, path, how, sizeof *how);
  }

  void close(Slot slot) {
    steps_.add("close a descriptor", SYS_close, slot);
    steps_.free_slot(slot);
  }

  void attach(const char* step_name, Slot tree, const std::string& target) {
    if (ours(target)) {
      steps_.add(step_name, SYS_move_mount, tree, "", root_, inside(target), MOVE_MOUNT_F_EMPTY_PATH);
    } else {
      const Slot point = open_path(step_name, root_, inside(target), RESOLVE_NO_SYMLINKS);
      steps_.add(step_name, SYS_move_mount, tree, "", point, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
      close(point);
    }
    close(tree);
  }

  Slot clone_tree(const char* step_name, Argument folder, const char* path, unsigned flags) {
    return steps_.add_slot(step_name, SYS_open_tree, folder, path,
                           OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | flags);
  }

  void set_attributes(const char* step_name, Slot tree, std::uint64_t attributes) {
    const auto* set = steps_.keep_value(mount_attr{attributes, 0, 0, 0});
    steps_.add(step_name, SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, set, sizeof *set);
  }

  Result<void> directory(const Mount& mount) {
    make_parents(mount.target);
    make_directory(mount.target, mount.mode);
    return {};
  }

  Result<void> symlink(const Mount& mount) {
    make_parents(mount.target);
    steps_.add(name("make the symlink", mount.target), SYS_symlinkat, steps_.keep(mount.source), root_,
               inside(mount.target));
    return {};
  }

  Result<void> file(const Mount& mount) {
    if (!ours(mount.target)) return fail("bad_plan", "files are only made in the sandbox's own memory", mount.target);
    make_parents(mount.target);
    const char* step_name = name("write the file", mount.target);
    const Slot fd = steps_.add_slot(step_name, SYS_openat, root_, inside(mount.target),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mount.mode);
    if (!mount.content.empty())
      steps_.add(step_name, SYS_write, fd, mount.content.data(), mount.content.size()).expected =
          static_cast<std::int64_t>(mount.content.size());
    close(fd);
    return {};
  }

  Result<void> bind(const Mount& mount) {
    struct stat info;
    if (::lstat(mount.source.c_str(), &info) != 0) {
      if (mount.optional) return {};
      return fail("path_missing", "cannot show this path in the sandbox: it is not there any more", mount.source);
    }
    const bool is_directory = S_ISDIR(info.st_mode);
    make_mount_point(mount.target, is_directory);
    const char* step_name = name("bind", mount.target);
    Slot tree{};
    if (is_system_path(mount.source)) {
      tree = clone_tree(step_name, AT_FDCWD, steps_.keep(mount.source), AT_SYMLINK_NOFOLLOW);
    } else {
      const Slot source = open_path(step_name, AT_FDCWD, steps_.keep(mount.source), RESOLVE_NO_SYMLINKS);
      tree = clone_tree(step_name, source, "", AT_EMPTY_PATH);
      close(source);
    }
    std::uint64_t attributes = MOUNT_ATTR_NOSUID;
    if (mount.device)
      attributes |= MOUNT_ATTR_NOEXEC;
    else
      attributes |= MOUNT_ATTR_NODEV;
    if (!mount.writable) attributes |= MOUNT_ATTR_RDONLY;
    set_attributes(step_name, tree, attributes);
    attach(step_name, tree, mount.target);
    covers_.emplace_back(mount.target, false);
    return {};
  }

  static std::string tmpfs_options(const Mount& mount) {
    char mode[16];
    std::snprintf(mode, sizeof mode, "mode=%o", mount.mode);
    std::string options = mode;
    if (mount.size_kib) options += ",size=" + std::to_string(mount.size_kib) + "k";
    if (mount.inodes) options += ",nr_inodes=" + std::to_string(mount.inodes);
    return options;
  }

  // A new file system instance, mounted over an existing or just made folder.
  Result<void> fresh(const Mount& mount, const char* type, unsigned long flags, const std::string& options) {
    const bool read_only = mount.kind == MountKind::tmpfs && !mount.writable;
    if (mount.kind == MountKind::tmpfs && mount.writable && mount.size_kib == 0)
      return fail("bad_plan", "a writable tmpfs without a size would be memory without a limit", mount.target);
    flags |= MS_NOSUID_ | MS_NODEV_ | (read_only ? MS_RDONLY_ : 0);
    if (mount.kind == MountKind::devpts) flags &= ~MS_NODEV_;
    const char* step_name = name("mount", mount.target);
    if (ours(mount.target)) {
      make_mount_point(mount.target, true);
      steps_.add(step_name, SYS_mount, type, inside(mount.target), type, flags, steps_.keep(options));
    } else {
      const Slot point = open_path(step_name, root_, inside(mount.target), RESOLVE_NO_SYMLINKS);
      steps_.add(step_name, SYS_fchdir, point);
      steps_.add(step_name, SYS_mount, type, ".", type, flags, steps_.keep(options));
      steps_.add(step_name, SYS_fchdir, root_);
      close(point);
    }
    covers_.emplace_back(mount.target, mount.kind == MountKind::tmpfs);
    return {};
  }

  // The scratch that an earlier stage made: a mount of it that is in no mount table yet.
  Result<void> handed_on(const Mount& mount) {
    if (!ours(mount.target))
      return fail("bad_plan", "a shared scratch needs a root of the sandbox's own", mount.target);
    make_mount_point(mount.target, true);
    steps_.add(name("mount", mount.target), SYS_move_mount, wiring_.shared, "", root_, inside(mount.target),
               MOVE_MOUNT_F_EMPTY_PATH);
    covers_.emplace_back(mount.target, true);
    return {};
  }

  // What is masked lies in the fresh procfs, which has the entries of the host's.
  Result<void> mask(const Mount& mount) {
    struct stat info;
    if (::lstat(mount.target.c_str(), &info) != 0) {
      if (mount.optional) return {};
      return fail("bad_plan", "there is nothing to mask at this path", mount.target);
    }
    const char* step_name = name("mask", mount.target);
    if (S_ISDIR(info.st_mode)) {
      steps_.add(step_name, SYS_mount, "tmpfs", inside(mount.target), "tmpfs",
                 MS_RDONLY_ | MS_NOSUID_ | MS_NODEV_ | MS_NOEXEC_, "size=0k,nr_inodes=2,mode=555");
      return {};
    }
    const Slot tree = clone_tree(step_name, AT_FDCWD, "/dev/null", AT_SYMLINK_NOFOLLOW);
    set_attributes(step_name, tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    steps_.add(step_name, SYS_move_mount, tree, "", root_, inside(mount.target), MOVE_MOUNT_F_EMPTY_PATH);
    close(tree);
    return {};
  }

  Result<void> remount_read_only(const Mount& mount) {
    struct stat info;
    if (mount.optional && ::lstat(mount.target.c_str(), &info) != 0) return {};
    const char* step_name = name("make read-only", mount.target);
    const Slot tree = clone_tree(step_name, root_, inside(mount.target), AT_SYMLINK_NOFOLLOW);
    set_attributes(step_name, tree, base_attributes | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC);
    steps_.add(step_name, SYS_move_mount, tree, "", root_, inside(mount.target), MOVE_MOUNT_F_EMPTY_PATH);
    close(tree);
    return {};
  }

  Steps& steps_;
  const Stage& stage_;
  const Wiring& wiring_;
  Slot root_;
  std::vector<std::pair<std::string, bool>> covers_;  // mounted so far; true: in memory of ours
  std::set<std::string> made_;
};

std::uint64_t files_kib(const Stage& stage) {
  std::uint64_t bytes = 0;
  for (const Mount& mount : stage.mounts)
    if (mount.kind == MountKind::file) bytes += mount.content.size() + 4096;
  return bytes / 1024;
}

}  // namespace

Result<Slot> add_root(Steps& steps, const Stage& stage) {
  constexpr unsigned long propagation_private = (1ul << 18) | (1ul << 14);  // MS_PRIVATE | MS_REC
  steps.add("make the mount table private", SYS_mount, nullptr, "/", nullptr, propagation_private, nullptr);
  Slot root{};
  if (stage.root.rootfs.empty()) {
    const char* name = "create the root";
    const Slot context = steps.add_slot(name, SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
    const char* size = steps.keep(std::to_string(files_kib(stage) + 1024) + "k");
    steps.add(name, SYS_fsconfig, context, FSCONFIG_SET_STRING, "size", size, 0);
    steps.add(name, SYS_fsconfig, context, FSCONFIG_SET_STRING, "mode", "0755", 0);
    steps.add(name, SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0);
    root = steps.add_slot(name, SYS_fsmount, context, FSMOUNT_CLOEXEC, base_attributes);
    steps.add(name, SYS_close, context);
    steps.free_slot(context);
  } else {
    const char* name = steps.keep("open the rootfs " + stage.root.rootfs);
    const auto* how = steps.keep_value(open_how{O_PATH | O_DIRECTORY | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS});
    const Slot folder = steps.add_slot(name, SYS_openat2, AT_FDCWD, steps.keep(stage.root.rootfs), how, sizeof *how);
    root = steps.add_slot(name, SYS_open_tree, folder, "",
                          OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);
    steps.add(name, SYS_close, folder);
    steps.free_slot(folder);
    const auto* set = steps.keep_value(
        mount_attr{base_attributes | (stage.root.writable ? 0u : unsigned{MOUNT_ATTR_RDONLY}), 0, 0, 0});
    steps.add(name, SYS_mount_setattr, root, "", AT_EMPTY_PATH | AT_RECURSIVE, set, sizeof *set);
  }
  steps.add("attach the root", SYS_move_mount, root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
  steps.add("enter the root", SYS_fchdir, root);
  return root;
}

Result<void> add_mounts(Steps& steps, const Stage& stage, const Wiring& wiring, Slot root) {
  Builder builder(steps, stage, wiring, root);
  for (const Mount& mount : stage.mounts)
    if (auto added = builder.add(mount); !added) return added;
  return {};
}

void add_enter_root(Steps& steps, const Stage& stage, Slot root) {
  if (stage.root.rootfs.empty()) {
    const auto* set = steps.keep_value(mount_attr{base_attributes | MOUNT_ATTR_RDONLY, 0, 0, 0});
    steps.add("make the root read-only", SYS_mount_setattr, root, "", AT_EMPTY_PATH, set, sizeof *set);
  }
  // The old root lands on top of the new one and is then taken off (pivot_root(2), the "." idiom).
  steps.add("pivot_root", SYS_pivot_root, ".", ".");
  steps.add("detach the old root", SYS_umount2, ".", MNT_DETACH);
  steps.add("close a descriptor", SYS_close, root);
  steps.add(steps.keep("change to the working directory " + stage.cwd), SYS_chdir, steps.keep(stage.cwd));
}

}  // namespace cocoon::linux_driver
