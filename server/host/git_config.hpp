// What a repository's configuration says about files that git obeys too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

struct GitConfig {
  std::string hooks;                  // core.hooksPath; relative: to the work tree
  std::string work_tree;              // core.worktree; relative: to the repository
  std::vector<std::string> included;  // include.path and includeIf.*.path; relative: to the folder of the file
};

// Reads what git-config(1) describes, as far as these keys need it; what can't be read is left out.
GitConfig read_git_config(std::string_view text);

}  // namespace cocoon
