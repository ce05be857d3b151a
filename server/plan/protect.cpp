// Files of a work folder that programs execute or obey later, outside of any sandbox.
#include "plan/protect.hpp"

#include "plan/planner.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

constexpr std::array<std::string_view, 22> names{".git",           ".git/hooks",  ".git/config", ".git/config.worktree",
                                                 ".git/commondir", ".gitmodules", ".gitconfig",  ".mcp.json",
                                                 ".claude",        ".vscode",     ".cursor",     ".codex",
                                                 ".idea",          ".husky",      ".envrc",      ".bashrc",
                                                 ".bash_profile",  ".bash_login", ".profile",    ".zshrc",
                                                 ".zshenv",        ".zprofile"};

// Relative paths, beside each other or one in the other.
bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

class Protector {
 public:
  Protector(const std::string& work, const Facts& facts, Shown& shown) : work_(work), facts_(facts), shown_(shown) {}

  Protection protect() {
    protect_in("");
    for (const std::string& repository : facts_.repositories) protect_in(repository + "/");
    for (const std::string& path : facts_.protected_targets) keep(path, true);
    for (const std::string& link : facts_.protected_links) result_.kept.push_back(link);
    for (const std::string& path : facts_.protected_missing)
      if (!contains(result_.watched, path)) result_.watched.push_back(path);
    return std::move(result_);
  }

 private:
  // folder is empty or ends in a slash.
  void protect_in(const std::string& folder) {
    for (const std::string_view name : names) {
      const std::string path = folder + std::string(name);
      const auto& links = facts_.protected_links;
      // Where a link leads is among what exists, or among what is missing.
      if (std::any_of(links.begin(), links.end(), [&](const std::string& link) { return lies_in(path, link); }))
        continue;
      const auto& existing = facts_.protected_existing;
      // As a file, .git says where the repository is; as a folder it holds what is protected in it, and has to stay
      // writable.
      const auto in_it = [&](const std::string& other) { return other.starts_with(path + "/"); };
      if (name == ".git" &&
          (std::any_of(existing.begin(), existing.end(), in_it) || std::any_of(links.begin(), links.end(), in_it)))
        continue;
      if (!contains(existing, path)) {
        result_.watched.push_back(path);
        continue;
      }
      // Otherwise the guest could move .git away and put another one in its place.
      if (name.starts_with(".git/")) shown_.pin(work_ + "/" + folder + ".git", true, !folder.empty());
      keep(path, !folder.empty());
    }
  }

  // movable: the guest can move a folder above it away and make another, which is seen at the end.
  void keep(const std::string& path, bool movable) {
    const std::string whole = work_ + "/" + path;
    if (contains(pinned_, whole)) return;
    pinned_.push_back(whole);
    shown_.pin(whole, false, movable);
    if (movable) result_.kept.push_back(path);
  }

  const std::string& work_;
  const Facts& facts_;
  Shown& shown_;
  Protection result_;
  std::vector<std::string> pinned_;
};

}  // namespace

std::span<const std::string_view> protected_names() { return names; }

Protection protect(const std::string& work, const Facts& facts, Shown& shown) {
  return Protector(work, facts, shown).protect();
}

}  // namespace cocoon
