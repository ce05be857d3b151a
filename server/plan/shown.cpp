// The host's files and folders that a guest is shown, each at its own path.
#include "plan/shown.hpp"

#include "plan/filesystem.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

constexpr std::array<std::string_view, 11> system_folders{"/usr",  "/bin", "/sbin", "/lib", "/lib64", "/etc",
                                                          "/proc", "/sys", "/dev",  "/run", "/boot"};

// Whoever may write in these is the system's owner: root, whom no permission keeps from handing them to a guest.
constexpr std::array<std::string_view, 13> system_parts{
    "/usr/bin",   "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include",
    "/usr/share", "/bin",      "/sbin",    "/lib",       "/lib64",     "/boot"};

}  // namespace

void Shown::add(const PathFact& fact, bool writable) {
  if (fact.absolute != fact.real) links_.push_back({fact.absolute, fact.real});
  for (Entry& entry : entries_) {
    if (entry.path != fact.real) continue;
    entry.writable = entry.writable || writable;
    return;
  }
  entries_.push_back({fact.real, writable, false, false});
}

void Shown::pin(const std::string& path, bool writable, bool movable) {
  const auto same = [&](const Entry& entry) { return entry.path == path; };
  if (std::none_of(entries_.begin(), entries_.end(), same)) entries_.push_back({path, writable, true, movable});
}

bool Shown::in_system(std::string_view path, bool through_links) const {
  return std::any_of(system_.begin(), system_.end(), [&](const SystemEntry& entry) {
    if (!entry.symlink.empty()) return through_links && is_within(path, entry.path);
    return entry.kind == PathKind::directory ? is_within(path, entry.path) : path == entry.path;
  });
}

bool Shown::covers(std::string_view path) const {
  return in_system(path, false) ||
         std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return is_within(path, entry.path); });
}

bool Shown::reaches(std::string_view path) const {
  if (path == "/" || covers(path) || in_system(path, true)) return true;
  const auto leads = [&](std::string_view place) { return is_within(place, path) || is_within(path, place); };
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return leads(entry.path); }) ||
         std::any_of(links_.begin(), links_.end(), [&](const Link& link) { return leads(link.spelling); });
}

bool Shown::occupies(std::string_view path) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.path == path; }) ||
         std::any_of(links_.begin(), links_.end(), [&](const Link& link) { return link.spelling == path; });
}

bool Shown::occupies_below(std::string_view path) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return is_within(entry.path, path); }) ||
         std::any_of(links_.begin(), links_.end(), [&](const Link& link) { return is_within(link.spelling, path); });
}

bool Shown::is_redundant(const Entry& entry) const {
  if (entry.pinned) return false;
  const Entry* nearest = nullptr;
  for (const Entry& other : entries_)
    if (&other != &entry && is_within(entry.path, other.path))
      if (nearest == nullptr || other.path.size() > nearest->path.size()) nearest = &other;
  if (nearest != nullptr) return nearest->writable == entry.writable;
  return !entry.writable && in_system(entry.path, false);
}

bool Shown::is_needed(const Link& link) const {
  if (is_kernel_path(link.spelling) || in_system(link.spelling, true)) return false;
  const auto holds = [&](const Entry& entry) { return is_within(link.spelling, entry.path); };
  if (std::any_of(entries_.begin(), entries_.end(), holds)) return false;  // the host's own link is visible there
  return std::none_of(links_.begin(), links_.end(), [&](const Link& other) {
    return other.spelling != link.spelling && is_within(link.spelling, other.spelling);
  });
}

void Shown::emit(std::vector<Mount>& mounts) const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_)
    if (!is_redundant(entry)) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->path < b->path; });
  for (const Entry* entry : order) {
    mounts.push_back(make_bind(entry->path, entry->path, entry->writable));
    mounts.back().optional = entry->movable;
  }

  std::vector<const Link*> links;
  for (const Link& link : links_)
    if (is_needed(link)) links.push_back(&link);
  std::sort(links.begin(), links.end(), [](const Link* a, const Link* b) { return a->spelling < b->spelling; });
  for (std::size_t i = 0; i < links.size(); ++i)
    if (i == 0 || links[i]->spelling != links[i - 1]->spelling)
      mounts.push_back(make_symlink(links[i]->spelling, links[i]->real));
}

bool is_kernel_path(std::string_view path) {
  if (is_within(path, "/proc") || is_within(path, "/sys")) return true;
  return is_within(path, "/dev") && (!is_within(path, "/dev/shm") || path == "/dev/shm");
}

std::optional<Refusal> refuse_to_show(std::string_view path) {
  if (path == "/")
    return Refusal{"is the whole host", "the system's programs are shown already; name the folder that you need"};
  if (is_kernel_path(path)) return Refusal{"belongs to the kernel", "the guest has a /proc and a /dev of its own"};
  if (path == "/etc" || path == "/run")
    return Refusal{"holds what the guest must not see", "name the file or folder in it that you need"};
  if (is_within(path, own_folder)) return Refusal{"is a place of the sandbox's own", "use another folder"};
  return {};
}

// A home folder holds keys and passwords, and so does what lies above it; /run holds the sockets of the host's services.
// Whoever stands there by chance has not granted that.
bool may_show_unasked(std::string_view folder, std::string_view home) {
  if (refuse_to_show(folder) || is_within(folder, "/run")) return false;
  if (folder == "/root" || folder == "/home") return false;
  return home.empty() || !is_within(home, folder);
}

std::optional<Refusal> refuse_to_write(std::string_view path, const std::vector<SystemEntry>& system) {
  if (auto refusal = refuse_to_show(path)) return refusal;
  const auto above = [&](std::string_view folder) { return is_within(folder, path); };
  const auto holds = [&](std::string_view folder) { return is_within(path, folder); };
  if (std::any_of(system_folders.begin(), system_folders.end(), above) ||
      std::any_of(system_parts.begin(), system_parts.end(), holds) ||
      std::any_of(system.begin(), system.end(), [&](const SystemEntry& entry) { return above(entry.path); }))
    return Refusal{"is a folder of the system", "make a folder of its own for the guest to write to"};
  return {};
}

}  // namespace cocoon
