// Paths and files on POSIX systems.
#include "host/os/paths.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace cocoon::os {
namespace {

Unexpected<Error> failure(std::string_view what, const std::string& path) {
  const int error = errno;
  return fail(error == EEXIST ? "exists" : "system", std::string(what) + ": " + std::system_category().message(error),
              path);
}

Result<void> write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure("cannot write", path);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::string> read_all(int fd, const std::string& path, std::size_t max_bytes) {
  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure("cannot read", path);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > max_bytes) {
      return fail("too_large", "is larger than " + std::to_string(max_bytes) + " bytes", path);
    }
  }
}

// The home folder in the user's line of the file, "name:password:uid:gid:description:home:shell"; empty if there is none.
std::string home_in_user_file(uid_t uid) {
  constexpr std::size_t most_bytes = 65536;  // a larger one is left to the name services
  const Result<std::string> text = read_file("/etc/passwd", most_bytes);
  if (!text) return {};
  const std::string wanted = std::to_string(uid);
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::array<std::string_view, 6> fields;
    for (std::string_view& field : fields) {
      const std::size_t colon = std::min(line.find(':'), line.size());
      field = line.substr(0, colon);
      line.remove_prefix(std::min(colon + 1, line.size()));
    }
    if (fields[2] == wanted && !fields[0].empty() && fields[0][0] != '+' && fields[0][0] != '#')
      return std::string(fields[5]);
  }
  return {};
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::string> current_folder() {
  char buffer[PATH_MAX];
  if (::getcwd(buffer, sizeof buffer) == nullptr || buffer[0] != '/') {
    return fail("path_missing", "the current folder is gone or cannot be named", "current folder",
                "change to a folder that exists");
  }
  return std::string(buffer);
}

std::string home_folder() {
  // Most users are in the file; asking the name services first means to look for a cache daemon and to read their
  // configuration, which takes longer than all else that is asked about a run.
  std::string named = home_in_user_file(::geteuid());
  if (named.empty()) {
    std::array<char, 16384> buffer;
    passwd entry;
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
      named = found->pw_dir;
  }
  if (is_absolute(named)) {
    if (std::optional<std::string> folder = real(named)) return std::move(*folder);
  }
  const std::optional<std::string> home = environment("HOME");
  return home && is_absolute(*home) ? real(*home).value_or(std::string()) : std::string();
}

std::uint32_t user_id() { return ::geteuid(); }
std::uint32_t group_id() { return ::getegid(); }

bool is_absolute(std::string_view path) { return path.starts_with('/'); }

std::string absolute(std::string_view path, std::string_view base) {
  std::vector<std::string_view> parts;
  const auto append = [&parts](std::string_view text) {
    while (!text.empty()) {
      const std::size_t slash = std::min(text.find('/'), text.size());
      const std::string_view part = text.substr(0, slash);
      if (part == ".." && !parts.empty()) parts.pop_back();
      if (!part.empty() && part != "." && part != "..") parts.push_back(part);
      text.remove_prefix(std::min(slash + 1, text.size()));
    }
  };
  if (!is_absolute(path)) append(base);
  append(path);
  std::string result;
  for (const std::string_view part : parts) result.append("/").append(part);
  return result.empty() ? "/" : result;
}

std::string join(std::string_view folder, std::string_view name) {
  std::string result(folder);
  if (!result.ends_with('/')) result += '/';
  return result.append(name);
}

std::string_view parent(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::string> real(const std::string& path) {
  char buffer[PATH_MAX];
#if defined(__linux__)
  // The kernel resolves the path in one go and tells what it came to; realpath asks about each part of it.
  if (const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC); fd >= 0) {
    std::array<char, 32> link;
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    const ssize_t size = ::readlink(link.data(), buffer, sizeof buffer);
    struct stat opened, named;
    const bool known =
        size > 0 && static_cast<std::size_t>(size) < sizeof buffer && buffer[0] == '/' && ::fstat(fd, &opened) == 0;
    ::close(fd);
    if (known) {
      std::string result(buffer, static_cast<std::size_t>(size));
      // Not so for what was removed, or lies outside of this process's root.
      if (::lstat(result.c_str(), &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
        return result;
    }
  }
#endif
  if (::realpath(path.c_str(), buffer) == nullptr) return std::nullopt;
  return std::string(buffer);
}

Way follow(const std::string& path) {
  constexpr std::size_t kMostLinks = 40;  // as the system's own limit
  Way way;
  std::string done;  // real
  std::string rest = path;
  while (way.links.size() < kMostLinks) {
    const std::size_t start = rest.find_first_not_of('/');
    if (start == std::string::npos) {
      way.end = std::move(done);
      break;
    }
    const std::size_t end = std::min(rest.find('/', start), rest.size());
    const std::string part = rest.substr(start, end - start);
    rest.erase(0, end);
    if (part == ".") continue;
    if (part == "..") {
      if (done.empty()) continue;
      way.left.push_back(done);
      done.resize(done.rfind('/'));
      continue;
    }
    std::string next = join(done, part);
    const std::optional<std::string> text = link_text(next);
    if (!text) {
      done = std::move(next);
      continue;
    }
    way.links.push_back(std::move(next));
    rest.insert(0, *text);
    if (is_absolute(*text)) done.clear();
  }
  if (way.end.empty()) way.end = "/";
  return way;
}

std::vector<std::string> links_on_the_way(const std::string& path) { return follow(path).links; }

bool exists(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_file(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool is_native_program(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return false;
  std::array<char, 4> start{};
  const ssize_t n = ::read(fd, start.data(), start.size());
  ::close(fd);
  const std::string_view magic(start.data(), n < 0 ? 0 : static_cast<std::size_t>(n));
#if defined(__APPLE__)
  return magic == "\xCF\xFA\xED\xFE" || magic == "\xCA\xFE\xBA\xBE";
#else
  return magic ==
         "\x7F"
         "ELF";
#endif
}

std::optional<FileIdentity> identity(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
#if defined(__APPLE__)
  const timespec& changed = info.st_mtimespec;
#else
  const timespec& changed = info.st_mtim;
#endif
  return FileIdentity{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
                      std::int64_t{changed.tv_sec} * 1'000'000'000 + changed.tv_nsec,
                      static_cast<std::uint64_t>(info.st_size)};
}

namespace {

// Whether a guest that is the caller may write there. Root's own rights end at the sandbox, where it has no capability:
// the permission bits count for it as for everybody else.
bool is_writable(const std::string& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return false;
  struct stat info;
  if (::geteuid() != 0) return true;
  if (::stat(path.c_str(), &info) != 0) return false;
  if (info.st_uid == 0) return (info.st_mode & S_IWUSR) != 0;
  if (info.st_gid == ::getegid()) return (info.st_mode & S_IWGRP) != 0;
  return (info.st_mode & S_IWOTH) != 0;
}

}  // namespace

PathFact path_fact(std::string_view given, std::string_view cwd) {
  PathFact fact;
  fact.given = given;
  fact.absolute = absolute(given, cwd);
  // The text as given is what the system resolves: "link/.." is not the lexical parent of link.
  const std::string spelled = is_absolute(given) ? std::string(given) : join(cwd, given);
  std::optional<std::string> resolved = real(spelled);
  struct stat info;
  if (!resolved || ::stat(resolved->c_str(), &info) != 0) {
    fact.kind = errno == EACCES ? PathKind::denied : PathKind::missing;
    const bool goes_up = given.find("..") != std::string_view::npos;
    const std::string& named = goes_up ? spelled : fact.absolute;
    const std::string_view name = base_name(named);
    if (fact.kind == PathKind::missing && ::lstat(spelled.c_str(), &info) != 0 && !name.empty() && name != "." &&
        name != "..") {
      if (const std::optional<std::string> folder = real(std::string(parent(named))); folder && is_folder(*folder)) {
        fact.real = join(*folder, name);
        fact.writable = is_writable(*folder);
        if (goes_up) fact.absolute = fact.real;
      }
    }
    if (fact.real.empty()) fact.absolute = follow(spelled).end;
    return fact;
  }
  if (given.find("..") != std::string_view::npos && real(fact.absolute) != resolved) fact.absolute = *resolved;
  fact.real = std::move(*resolved);
  fact.kind = S_ISDIR(info.st_mode) ? PathKind::directory : S_ISREG(info.st_mode) ? PathKind::file : PathKind::other;
  fact.writable = is_writable(fact.real);
  fact.executable = ::faccessat(AT_FDCWD, fact.real.c_str(), X_OK, AT_EACCESS) == 0;
  return fact;
}

std::optional<std::string> find_program(std::string_view name, std::string_view search_path) {
  while (!search_path.empty()) {
    const std::size_t colon = std::min(search_path.find(':'), search_path.size());
    const std::string_view folder = search_path.substr(0, colon);
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    if (!is_absolute(folder)) continue;
    std::string candidate = join(folder, name);
    if (is_file(candidate) && ::faccessat(AT_FDCWD, candidate.c_str(), X_OK, AT_EACCESS) == 0) return candidate;
  }
  return std::nullopt;
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return failure("cannot open", path);
  Result<std::string> content = read_all(fd, path, max_bytes);
  ::close(fd);
  return content;
}

Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return failure("cannot open", path);
  struct stat info;
  Result<std::string> content = fail("untrusted", "belongs to somebody else or can be written by others", path);
  if (::fstat(fd, &info) != 0) {
    content = failure("cannot look at", path);
  } else if (info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 && S_ISREG(info.st_mode)) {
    content = read_all(fd, path, max_bytes);
  }
  ::close(fd);
  return content;
}

std::vector<std::string> list_subfolders(const std::string& path) {
  std::vector<std::string> names;
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd), [](DIR* d) { return ::closedir(d); });
  if (!folder) {
    ::close(fd);
    return names;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR || (entry->d_type == DT_UNKNOWN && entry_kind(join(path, name)) == EntryKind::folder))
      names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

EntryKind entry_kind(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return EntryKind::missing;
  if (S_ISLNK(info.st_mode)) return EntryKind::link;
  return S_ISDIR(info.st_mode) ? EntryKind::folder : EntryKind::other;
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), [](DIR* d) { return ::closedir(d); });
  if (!folder) return names;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> link_text(const std::string& path) {
  char buffer[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
  if (size < 0 || size == sizeof buffer) return std::nullopt;
  return std::string(buffer, static_cast<std::size_t>(size));
}

Result<void> make_link(const std::string& path, const std::string& text) {
  if (::symlink(text.c_str(), path.c_str()) != 0) return failure("cannot make the link", path);
  return {};
}

Result<void> make_folder(const std::string& path, std::uint32_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return failure("cannot make the folder", path);
  return {};
}

Result<void> make_folders(const std::string& path, std::uint32_t mode) {
  if (is_folder(path)) return {};
  if (path != "/") {
    if (Result<void> made = make_folders(std::string(parent(path)), mode); !made) return made;
  }
  Result<void> made = make_folder(path, mode);
  if (!made && made.error().code == "exists" && is_folder(path)) return {};
  return made;
}

Result<void> create_file(const std::string& path, std::string_view content, std::uint32_t mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd < 0) return failure("cannot create", path);
  Result<void> written = write_all(fd, content, path);
  if (::close(fd) != 0 && written) return failure("cannot write", path);
  return written;
}

Result<void> replace_file(const std::string& path, std::string_view content) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);  // made with mode 0600
  if (fd < 0) return failure("cannot create", temporary);
  Result<void> written = write_all(fd, content, temporary);
  if (::close(fd) != 0 && written) written = failure("cannot write", temporary);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = failure("cannot rename", temporary);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace cocoon::os
