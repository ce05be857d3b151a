// Whether a program may be started on the host, outside of every sandbox: not if a guest may have written it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

// The first place on the way from path to what it really is, links included, that lies in one of folders (which are
// real). Nothing: no guest that could write to these folders decided what path is.
std::optional<std::string> guest_made(const std::string& path, std::span<const std::string> folders);

// The same for the interpreter installation around program: what an interpreter reads at its start beside itself.
std::optional<std::string> guest_made_installation(const std::string& program, std::span<const std::string> folders);

// The folder of the project around the current directory, which earlier guests may have been given to work on. Empty where
// that would be the caller's home folder or the system.
std::vector<std::string> project_folder(std::string_view cwd, std::string_view home);

}  // namespace cocoon
