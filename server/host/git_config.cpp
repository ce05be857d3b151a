// What a repository's configuration says about files that git obeys too.
#include "host/git_config.hpp"

#include "plan/text.hpp"

#include <algorithm>

namespace cocoon {
namespace {

// A value up to its comment, without its quotes and escapes.
std::string value_of(std::string_view text) {
  std::string value;
  std::size_t kept = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      is_quoted = !is_quoted;
      continue;
    }
    if (!is_quoted && (c == '#' || c == ';')) break;
    const bool is_escaped = c == '\\' && i + 1 < text.size();
    if (is_escaped) c = text[++i];
    value += c;
    if (is_quoted || is_escaped || (c != ' ' && c != '\t')) kept = value.size();
  }
  value.resize(kept);
  return value;
}

// Behind the bracket that closes it; a name in quotes may hold one of its own.
std::size_t end_of_section(std::string_view line) {
  std::size_t at = line.find_first_of("\"]");
  if (at != std::string_view::npos && line[at] == '"') {
    for (++at; at < line.size() && line[at] != '"'; ++at)
      if (line[at] == '\\') ++at;
  }
  const std::size_t bracket = line.find(']', std::min(at, line.size()));
  return bracket == std::string_view::npos ? line.size() : bracket + 1;
}

}  // namespace

GitConfig read_git_config(std::string_view text) {
  GitConfig config;
  std::string section;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.starts_with('[')) {
      const std::size_t end = end_of_section(line);
      section = lower(line.substr(1, line.find_first_of(" \t\"]") - 1));
      line = trim(line.substr(end));
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key = lower(trim(line.substr(0, equals)));
    std::string value = value_of(trim(line.substr(equals + 1)));
    if (value.empty()) continue;
    if (section == "core" && key == "hookspath")
      config.hooks = std::move(value);
    else if (section == "core" && key == "worktree")
      config.work_tree = std::move(value);
    else if ((section == "include" || section == "includeif") && key == "path")
      config.included.push_back(std::move(value));
  }
  return config;
}

}  // namespace cocoon
