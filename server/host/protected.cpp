// Looks for what programs obey later in a work folder.
#include "host/protected.hpp"

#include "host/git_config.hpp"
#include "host/os/paths.hpp"
#include "plan/planner.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>

namespace cocoon {
namespace {

// A run pays for the search: half a millisecond at most.
constexpr std::size_t kMostFolders = 64;
constexpr std::size_t kMostRepositories = 8;
constexpr int kDepth = 2;
constexpr std::size_t kMostGitFolders = 16;
constexpr int kModuleDepth = 3;  // of a submodule's name, which may have slashes
constexpr std::size_t kLongestConfig = 64U << 10U;

void add(std::vector<std::string>& list, std::string item) {
  if (!contains(list, item)) list.push_back(std::move(item));
}

class Search {
 public:
  Search(const std::string& work, Facts& facts) : work_(work), facts_(facts) {}

  void run() {
    look_in("");
    find_repositories("", kDepth);
    for (const std::string& repository : facts_.repositories) look_in(repository + "/");
    look_in_git("");
    for (const std::string& repository : facts_.repositories) look_in_git(repository + "/");
  }

 private:
  // folder is relative to the work folder, has no link in it, and is empty or ends in a slash.
  void look_in(const std::string& folder) {
    os::EntryKind git = os::EntryKind::missing;
    for (const std::string_view name : protected_names()) {
      // Nothing lies in a .git that is missing or a file.
      if (name.starts_with(".git/") && git != os::EntryKind::folder && git != os::EntryKind::link) continue;
      const std::string path = os::join(work_, folder + std::string(name));
      const os::EntryKind kind =
          name.starts_with(".git/") && git == os::EntryKind::link ? os::EntryKind::link : os::entry_kind(path);
      if (name == ".git") git = kind;
      if (kind == os::EntryKind::link) {
        follow(path);
      } else if (kind != os::EntryKind::missing && !(name == ".git" && kind == os::EntryKind::folder)) {
        facts_.protected_existing.push_back(folder + std::string(name));
      }
    }
  }

  // What is reached through a symbolic link out of the work folder is not the work folder's to change; the link is.
  void follow(const std::string& path) {
    std::string last;
    for (const std::string& link : os::links_on_the_way(path)) {
      if (is_within(link, work_)) add(facts_.protected_links, relative(link));
      last = link;
    }
    if (const std::optional<std::string> real = os::real(path)) {
      // All of .git is no target: what is protected in it comes by its own name.
      const bool is_git = os::base_name(path) == ".git";
      if (!is_git && *real != work_ && is_within(*real, work_)) add(facts_.protected_targets, relative(*real));
    } else if (!last.empty()) {
      const std::string target =
          os::absolute(os::link_text(last).value_or(std::string()), std::string(os::parent(last)));
      if (target != work_ && is_within(target, work_) && os::entry_kind(target) == os::EntryKind::missing)
        add(facts_.protected_missing, relative(target));
    }
  }

  void find_repositories(const std::string& folder, int depth) {
    if (++folders_ > kMostFolders) return;
    for (const std::string& name : os::list_subfolders(os::join(work_, folder))) {
      if (name.starts_with('.') || name == "node_modules") continue;
      const std::string path = folder + name;
      if (os::entry_kind(os::join(work_, path + "/.git")) != os::EntryKind::missing) {
        if (facts_.repositories.size() >= kMostRepositories) return;
        facts_.repositories.push_back(path);
      }
      if (depth > 1) find_repositories(path + "/", depth - 1);
    }
  }

  // What git obeys beyond the names that every repository has: hooks kept elsewhere, files that its configuration
  // includes, the repositories of submodules, and where a linked worktree's repository is.
  void look_in_git(const std::string& folder) {
    const std::string git = folder + ".git";
    if (os::entry_kind(os::join(work_, git)) != os::EntryKind::folder) return;
    obey(git, os::absolute(folder, work_));
    look_in_modules(git + "/modules", kModuleDepth);
    const std::string trees = os::join(work_, git + "/worktrees");
    for (const std::string& tree : os::list_subfolders(trees))
      for (const std::string_view name : {"commondir", "gitdir", "config.worktree"})
        guard(os::join(os::join(trees, tree), name));
  }

  void look_in_modules(const std::string& modules, int depth) {
    for (const std::string& name : os::list_subfolders(os::join(work_, modules))) {
      const std::string git = os::join(modules, name);
      if (os::entry_kind(os::join(work_, git + "/HEAD")) == os::EntryKind::missing) {
        if (depth > 1) look_in_modules(git, depth - 1);
        continue;
      }
      if (++git_folders_ > kMostGitFolders) return;
      for (const std::string_view obeyed : {"config", "hooks", "config.worktree", "commondir"})
        guard(os::join(os::join(work_, git), obeyed));
      obey(git, {});
      look_in_modules(git + "/modules", kModuleDepth);
    }
  }

  // git is relative to the work folder, tree absolute; empty: as the configuration says.
  void obey(const std::string& git, std::string tree) {
    const std::string folder = os::join(work_, git);
    const std::string file = os::join(folder, "config");
    if (os::entry_kind(file) != os::EntryKind::other) return;
    const Result<std::string> text = os::read_file(file, kLongestConfig);
    if (!text) return;
    const GitConfig config = read_git_config(*text);
    if (!config.work_tree.empty() || tree.empty()) tree = os::absolute(config.work_tree, folder);
    if (!config.hooks.empty()) guard(os::absolute(config.hooks, tree));
    for (const std::string& included : config.included) guard(os::absolute(included, folder));
  }

  void guard(const std::string& path) {
    if (path == work_ || !is_within(path, work_)) return;
    const os::EntryKind kind = os::entry_kind(path);
    if (os::real(path) != path && kind != os::EntryKind::missing)
      follow(path);
    else
      add(kind == os::EntryKind::missing ? facts_.protected_missing : facts_.protected_targets, relative(path));
  }

  std::string relative(const std::string& path) const { return path.substr(work_.size() + 1); }

  const std::string& work_;
  Facts& facts_;
  std::size_t folders_ = 0;
  std::size_t git_folders_ = 0;
};

}  // namespace

void find_protected(const std::string& work, Facts& facts) { Search(work, facts).run(); }

}  // namespace cocoon
