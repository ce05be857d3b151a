// Paths and files as this operating system sees them: the only place of the host that asks about them.
#pragma once

#include "plan/facts.hpp"

#include <cocoon/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::os {

// The name of the driver made for this system.
#if defined(__linux__)
inline constexpr const char* platform = "linux";
#elif defined(__APPLE__)
inline constexpr const char* platform = "macos";
#else
inline constexpr const char* platform = "windows";
#endif

// What tells one version of a file from another without reading it.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t size = 0;

  bool operator==(const FileIdentity&) const = default;
};

// All are thread-safe. Paths are UTF-8 or whatever bytes the system uses for them.
std::optional<std::string> environment(const char* name);
Result<std::string> current_folder();  // real
// Real; as the system's database of users has it, or else as HOME says. Empty: the user has none.
std::string home_folder();
std::uint32_t user_id();
std::uint32_t group_id();

bool is_absolute(std::string_view path);
// path made absolute against the absolute folder base and lexically normal: no "." or "..", no doubled or last slash.
std::string absolute(std::string_view path, std::string_view base);
std::string join(std::string_view folder, std::string_view name);
std::string_view parent(std::string_view path);     // of an absolute normal path; "/" for "/"
std::string_view base_name(std::string_view path);  // likewise; empty for "/"

// Every symbolic link resolved; nothing where the path does not exist or may not be looked up.
std::optional<std::string> real(const std::string& path);
// An absolute path followed as the system follows it, and further: whether anything is there makes no difference.
struct Way {
  std::string end;                 // where it leads; "/" where links lead in circles
  std::vector<std::string> links;  // the symbolic links on it, each spelled with no other link before it
  std::vector<std::string> left;   // the folders out of which a ".." leads
};
Way follow(const std::string& path);
std::vector<std::string> links_on_the_way(const std::string& path);
bool exists(const std::string& path);  // a dangling symbolic link exists
bool is_folder(const std::string& path);
bool is_file(const std::string& path);            // links followed, here and above
bool is_native_program(const std::string& path);  // machine code, and no script
std::optional<FileIdentity> identity(const std::string& path);

// What the planner needs to know about a path of the request. Touches nothing but that path and its parents.
PathFact path_fact(std::string_view given, std::string_view cwd);

// The first executable file called name in the folders of search_path ("a:b"). Relative folders of it are skipped: what
// happens to lie in the current folder is never run.
std::optional<std::string> find_program(std::string_view name, std::string_view search_path);

// Whole content; fails beyond max_bytes.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);
// Likewise, and fails with code "untrusted" for what is not the caller's own or can be written by others.
Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes);
// All of the folder's names without "." and "..", sorted; empty where it cannot be read.
std::vector<std::string> list_folder(const std::string& path);

// Real folders only, no links to any; sorted; empty where the folder cannot be read, or is a link itself.
std::vector<std::string> list_subfolders(const std::string& path);

enum class EntryKind : std::uint8_t { missing, link, folder, other };
EntryKind entry_kind(const std::string& path);  // of what has this name; no link is followed in its last part

// The text of a symbolic link; nothing for anything else.
std::optional<std::string> link_text(const std::string& path);
Result<void> make_link(const std::string& path, const std::string& text);
Result<void> make_folder(const std::string& path, std::uint32_t mode);   // an Error with code "exists" if it is there
Result<void> make_folders(const std::string& path, std::uint32_t mode);  // with missing parents; fine if it is there
// Fails with code "exists" where something has that name.
Result<void> create_file(const std::string& path, std::string_view content, std::uint32_t mode);
// Readers see the old content or the new, never a part; only the caller may read it.
Result<void> replace_file(const std::string& path, std::string_view content);

}  // namespace cocoon::os
