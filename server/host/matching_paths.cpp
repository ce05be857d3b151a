// Pattern -> paths, one name of the path after the other.
#include "host/matching_paths.hpp"

#include "host/os/paths.hpp"

#include <algorithm>

namespace cocoon {
namespace {

bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (matches(name.substr(skipped), pattern)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> matching_paths(std::string_view pattern) {
  std::vector<std::string> found{"/"};
  while (!pattern.empty()) {
    pattern.remove_prefix(std::min(pattern.find_first_not_of('/'), pattern.size()));
    const std::string_view part = pattern.substr(0, pattern.find('/'));
    if (part.empty()) break;
    pattern.remove_prefix(part.size());
    std::vector<std::string> deeper;
    for (const std::string& folder : found) {
      if (part.find('*') == std::string_view::npos) {
        if (std::string path = os::join(folder, part); os::exists(path)) deeper.push_back(std::move(path));
        continue;
      }
      for (const std::string& name : os::list_folder(folder)) {
        if (!name.starts_with('.') && matches(name, part)) deeper.push_back(os::join(folder, name));
      }
    }
    found = std::move(deeper);
  }
  return found;
}

}  // namespace cocoon
