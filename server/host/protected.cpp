// Looks for what programs obey later in a work folder.
#include "host/protected.hpp"

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

  std::string relative(const std::string& path) const { return path.substr(work_.size() + 1); }

  const std::string& work_;
  Facts& facts_;
  std::size_t folders_ = 0;
};

}  // namespace

void find_protected(const std::string& work, Facts& facts) { Search(work, facts).run(); }

}  // namespace cocoon
