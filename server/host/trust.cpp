// Trust is a question of places: every link on the way to a file, the file, and what is read because it is there.
#include "host/trust.hpp"

#include "host/os/paths.hpp"
#include "plan/shown.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <string_view>

namespace cocoon {
namespace {

bool lies_in(std::string_view path, std::span<const std::string> folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [path](const std::string& folder) { return is_within(path, folder); });
}

}  // namespace

std::optional<std::string> guest_made(const std::string& path, std::span<const std::string> folders) {
  if (folders.empty()) return std::nullopt;
  std::vector<std::string> places = os::links_on_the_way(path);
  places.insert(places.begin(), path);
  if (std::optional<std::string> real = os::real(path)) places.push_back(std::move(*real));
  for (std::string& place : places) {
    if (lies_in(place, folders)) return std::move(place);
  }
  return std::nullopt;
}

std::optional<std::string> guest_made_installation(const std::string& program, std::span<const std::string> folders) {
  if (folders.empty()) return std::nullopt;
  if (std::optional<std::string> place = guest_made(program, folders)) return place;
  std::vector<std::string> spellings = os::links_on_the_way(program);
  spellings.push_back(program);
  if (std::optional<std::string> real = os::real(program)) spellings.push_back(std::move(*real));
  for (const std::string& spelling : spellings) {
    const std::string beside(os::parent(spelling));
    const std::string above(os::parent(beside));
    // A virtual environment's file names the installation whose library is loaded.
    for (const std::string& folder : {beside, above}) {
      const std::string config = os::join(folder, "pyvenv.cfg");
      if (!os::exists(config)) continue;
      if (std::optional<std::string> place = guest_made(config, folders)) return place;
    }
    // A guest that may write to a part of the installation decides what the interpreter does.
    for (const char* part : {"bin", "lib", "lib64", "libexec"}) {
      std::optional<std::string> real = os::real(os::join(above, part));
      if (!real) continue;
      if (lies_in(*real, folders)) return real;
      for (const std::string& folder : folders) {
        if (lies_in(folder, {&*real, 1})) return folder;
      }
    }
  }
  return std::nullopt;
}

std::vector<std::string> project_folder(std::string_view cwd, std::string_view home) {
  const std::string named_home = os::real(os::environment("HOME").value_or(std::string())).value_or(std::string());
  const auto may_be_given = [&](std::string_view folder) {
    const bool holds_home = (!home.empty() && is_within(home, folder)) || is_within(named_home, folder);
    return folder != "/" && !holds_home && !refuse_to_write(folder, {});
  };
  if (!may_be_given(cwd)) return {};
  std::string project(cwd);
  for (std::string_view folder = cwd; may_be_given(folder); folder = os::parent(folder)) {
    for (const char* mark : {".git", ".venv", "node_modules", "package.json", "pyproject.toml"}) {
      if (os::exists(os::join(folder, mark))) project = folder;
    }
  }
  return {std::move(project)};
}

}  // namespace cocoon
