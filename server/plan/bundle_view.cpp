// The guest's file system as a bundle's rootfs: its own files, with /proc, /dev, /tmp and the extra mounts added.
#include "plan/filesystem.hpp"
#include "plan/host_paths.hpp"
#include "plan/planner.hpp"
#include "plan/shown.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>

namespace cocoon {
namespace {

// Where on the host a mount point inside must exist: in the rootfs, or in the source of the extra mount around it.
// No folder: in a private memory file system, where the driver can make it.
struct MountPoint {
  std::string folder;  // as given
  std::string rest;

  std::string path() const { return folder.empty() ? "" : folder + rest; }
};

MountPoint mount_point_of(const Request& request, const ExtraMount& mount) {
  const ExtraMount* around = nullptr;
  for (const ExtraMount& other : request.mounts)
    if (other.target != mount.target && is_within(mount.target, other.target))
      if (around == nullptr || other.target.size() > around->target.size()) around = &other;
  if (around != nullptr) return {around->source, mount.target.substr(around->target.size())};
  if (mount.target != "/tmp" && is_within(mount.target, "/tmp")) return {};
  return {request.rootfs, mount.target};
}

class BundleView {
 public:
  BundleView(const Request& request, const Facts& facts, const Settings& settings)
      : request_(request), facts_(facts), settings_(settings) {}

  Result<View> build() {
    if (auto taken = take_root(); !taken) return Unexpected<Error>{std::move(taken.error())};
    if (has_folder("/proc")) add_proc(view_.mounts, facts_.uid == 0);
    if (has_folder("/dev")) add_dev();
    if (has_folder("/tmp") && !mounts_at("/tmp"))
      view_.mounts.push_back(make_tmpfs("/tmp", 01777, settings_.disk_kib, settings_.inodes));
    if (auto taken = take_mounts(); !taken) return Unexpected<Error>{std::move(taken.error())};
    view_.cwd = request_.cwd.empty() ? "/" : request_.cwd;
    view_.scratch = "/tmp";
    view_.home = "/root";
    return std::move(view_);
  }

 private:
  Result<void> take_root() {
    auto fact = existing(facts_, request_.rootfs, "rootfs");
    if (!fact) return Unexpected<Error>{std::move(fact.error())};
    if ((*fact)->kind != PathKind::directory) return fail("bad_path", "is not a folder", "rootfs " + request_.rootfs);
    rootfs_ = (*fact)->real;
    // As a root it would hide nothing.
    if (rootfs_ == "/" || is_kernel_path(rootfs_))
      return fail("bad_path", "can't be the root of a guest", "rootfs " + request_.rootfs,
                  "use a folder that holds the guest's files only");
    view_.root.rootfs = rootfs_;
    view_.root.writable = !settings_.readonly;
    return {};
  }

  // A symbolic link in the rootfs may lead out of it, so nothing is mounted behind one.
  bool has_folder(std::string_view name) const {
    const PathFact* fact = facts_.path(request_.rootfs + std::string(name));
    return fact != nullptr && fact->kind == PathKind::directory && fact->real == rootfs_ + std::string(name);
  }

  bool mounts_at(std::string_view target) const {
    return std::any_of(request_.mounts.begin(), request_.mounts.end(),
                       [&](const ExtraMount& mount) { return mount.target == target; });
  }

  // The rootfs may be read-only, and the nodes need files to be mounted on: they get a small memory file system.
  void add_dev() {
    constexpr std::uint64_t size_kib = 64;
    constexpr std::uint64_t inodes = 64;
    view_.mounts.push_back(make_tmpfs("/dev", 0755, size_kib, inodes));
    add_devices(view_.mounts, settings_);
  }

  Result<void> take_mounts() {
    std::vector<const ExtraMount*> order;
    order.reserve(request_.mounts.size());
    for (const ExtraMount& mount : request_.mounts) order.push_back(&mount);
    std::sort(order.begin(), order.end(),
              [](const ExtraMount* a, const ExtraMount* b) { return a->target < b->target; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && order[i]->target == order[i - 1]->target)
        return fail("conflict", "two mounts have this target", "mount " + order[i]->target);
      if (auto taken = take_mount(*order[i]); !taken) return taken;
    }
    return {};
  }

  Result<void> take_mount(const ExtraMount& mount) {
    const std::string where = "mount " + mount.target;
    if (is_within(mount.target, "/proc") || is_within(mount.target, "/dev") || is_within(mount.target, "/sys"))
      return fail("bad_path", "is made by the sandbox itself", where, "choose another target");
    auto fact = existing(facts_, mount.source, "mount");
    if (!fact) return Unexpected<Error>{std::move(fact.error())};
    const PathFact& source = **fact;
    if (source.kind == PathKind::other || is_kernel_path(source.real) || source.real == "/")
      return fail("bad_path", "can't be shown to a guest", "mount " + mount.source, "name a file or a folder");
    if (mount.writable)
      if (auto refusal = refuse_to_write(source.real, facts_.driver.system))
        return fail("bad_path", std::move(refusal->message), "mount " + mount.source, std::move(refusal->hint));
    if (auto checked = check_mount_point(mount, source.kind, where); !checked) return checked;
    view_.mounts.push_back(make_bind(source.real, mount.target, mount.writable));
    return {};
  }

  Result<void> check_mount_point(const ExtraMount& mount, PathKind kind, const std::string& where) const {
    const MountPoint point = mount_point_of(request_, mount);
    if (point.folder.empty()) {
      if (has_folder("/tmp")) return {};
      return fail("path_missing", "lies in /tmp, which does not exist in the rootfs", where,
                  "make an empty folder there: " + request_.rootfs + "/tmp");
    }
    const PathFact* folder = facts_.path(point.folder);
    const PathFact* fact = facts_.path(point.path());
    if (fact == nullptr || folder == nullptr)
      return fail("path_unknown", "nobody looked up this path on the host", where);
    const bool is_missing = fact->kind == PathKind::missing || fact->kind == PathKind::denied;
    // Asked first: whether there is anything behind a link that an earlier guest has left is not this one's to learn.
    const std::string& place = is_missing && fact->real.empty() ? fact->absolute : fact->real;
    if (place != folder->real + point.rest)
      return fail("bad_path", "lies behind a symbolic link", where, "name the place that the link leads to");
    if (is_missing)
      return fail("path_missing", "does not exist in the rootfs", where,
                  std::string("make an empty ") + (kind == PathKind::directory ? "folder" : "file") +
                      " there: " + point.path());
    if (fact->kind != kind)
      return fail("bad_path", "is a folder on one side of the mount and none on the other", where);
    return {};
  }

  const Request& request_;
  const Facts& facts_;
  const Settings& settings_;
  View view_;
  std::string rootfs_;
};

}  // namespace

Result<View> bundle_view(const Request& request, const Facts& facts, const Settings& settings) {
  return BundleView(request, facts, settings).build();
}

std::vector<std::string> paths_to_resolve(const Request& request) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (!path.empty() && !contains(paths, path)) paths.push_back(path);
  };
  for (const HostPath& path : host_paths(request)) add(path.given);
  if (request.rootfs.empty()) return paths;
  for (const std::string_view folder : {"/proc", "/dev", "/tmp"}) add(request.rootfs + std::string(folder));
  for (const ExtraMount& mount : request.mounts) add(mount_point_of(request, mount).path());
  return paths;
}

}  // namespace cocoon
