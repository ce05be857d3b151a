// Lexical rules for paths that a driver may use without looking at them again.
#pragma once

#include <algorithm>
#include <string_view>

namespace cocoon {

// Names one place: absolute, without "." and "..", empty parts or a slash at the end.
inline bool is_plain_path(std::string_view path) {
  if (path == "/") return true;
  if (path.empty() || path.front() != '/' || path.back() == '/') return false;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

// The name of one entry of a folder: it cannot lead anywhere else.
inline bool is_base_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

// path is folder or lies below it. Both are plain.
inline bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// The folder that holds path, and the last part of path. path is plain and not "/".
inline std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}
inline std::string_view base_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace cocoon
