// Files of a work folder that programs execute or obey later, outside of any sandbox.
#include "plan/protect.hpp"

#include "plan/planner.hpp"

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

}  // namespace

std::span<const std::string_view> protected_names() { return names; }

std::vector<std::string> protect(const std::string& work, const Facts& facts, Shown& shown) {
  std::vector<std::string> watched;
  for (const std::string_view name : names) {
    const std::string path = work + "/" + std::string(name);
    const auto& existing = facts.protected_existing;
    // As a file, .git says where the repository is; as a folder it holds what is protected in it, and has to stay writable.
    if (name == ".git" && std::any_of(existing.begin(), existing.end(),
                                      [](const std::string& other) { return other.starts_with(".git/"); }))
      continue;
    if (std::find(existing.begin(), existing.end(), name) == existing.end()) {
      watched.emplace_back(name);
      continue;
    }
    // Otherwise the guest could move .git away and put another one in its place.
    if (name.starts_with(".git/")) shown.pin(work + "/.git", true);
    shown.pin(path, false);
  }
  return watched;
}

}  // namespace cocoon
