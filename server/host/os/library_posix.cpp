// Loading shared objects on POSIX systems.
#include "host/os/library.hpp"
#include "host/os/paths.hpp"

#include <dlfcn.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include <system_error>

namespace cocoon::os {
namespace {

// A group that holds nobody but the caller: with it, some distributions make every new file group-writable.
bool is_private_group(gid_t group) {
  if (group != ::getegid()) return false;
  char buffer[4096];
  struct group entry;
  struct group* found = nullptr;
  if (::getgrgid_r(group, &entry, buffer, sizeof buffer, &found) != 0 || found == nullptr) return false;
  char user_buffer[4096];
  struct passwd user;
  struct passwd* owner = nullptr;
  if (::getpwuid_r(::geteuid(), &user, user_buffer, sizeof user_buffer, &owner) != 0 || owner == nullptr) return false;
  if (std::string_view(found->gr_name) != owner->pw_name) return false;
  for (char** member = found->gr_mem; *member != nullptr; ++member) {
    if (std::string_view(*member) != owner->pw_name) return false;
  }
  return true;
}

// is_parent: what lies in it has been checked already.
Result<void> check_one(const std::string& path, uid_t program_owner, bool is_parent) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    return fail("plugin_missing", "cannot be looked at: " + std::system_category().message(errno), path);
  }
  if (info.st_uid != 0 && info.st_uid != ::geteuid() && info.st_uid != program_owner) {
    return fail("plugin_untrusted", "belongs to user " + std::to_string(info.st_uid) + ", not to root or to you", path,
                "whoever owns it could run code as you: copy the plugin into a folder of your own");
  }
  if (is_parent && (info.st_mode & S_ISVTX) != 0) return {};  // others cannot rename or remove what we own in there
  if ((info.st_mode & S_IWOTH) != 0) {
    return fail("plugin_untrusted", "can be written by everybody", path, "chmod o-w " + path);
  }
  if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 && !is_private_group(info.st_gid)) {
    return fail("plugin_untrusted", "can be written by group " + std::to_string(info.st_gid), path,
                "chmod g-w " + path);
  }
  return {};
}

uid_t owner_of_program() {
  static const uid_t owner = [] {
    struct stat info;
    const Result<std::string> file = own_file();
    return file && ::stat(file->c_str(), &info) == 0 ? info.st_uid : uid_t{0};
  }();
  return owner;
}

// For the main program the loader knows no more than argv[0], which whoever started it was free to make up.
bool is_main_program(const Dl_info& info) {
#if defined(__linux__)
  Dl_info program;
  return ::dladdr(reinterpret_cast<const void*>(::getauxval(AT_ENTRY)), &program) != 0 &&
         program.dli_fbase == info.dli_fbase;
#else
  return false;
#endif
}

Result<std::string> find_own_file() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&check_trusted), &info) == 0 || info.dli_fname == nullptr) {
    return fail("internal", "the system does not say where this program's code lies");
  }
  // The kernel's answer has no links left in it; one that names a file no more ends in " (deleted)" and is not found.
  std::optional<std::string> file = is_main_program(info) ? link_text("/proc/self/exe") : real(info.dli_fname);
  if (file && is_file(*file)) return std::move(*file);
  return fail("internal", "this program's own file is gone", info.dli_fname);
}

}  // namespace

Result<std::string> own_file() {
  static const Result<std::string> file = find_own_file();
  return file;
}

Result<void> check_trusted(const std::string& path, std::string_view trusted_above) {
  const uid_t owner = owner_of_program();
  if (Result<void> checked = check_one(path, owner, false); !checked) return checked;
  std::string_view folder = path;
  while (folder != "/") {
    folder = parent(folder);
    if (!trusted_above.empty() && folder == trusted_above) break;
    if (Result<void> checked = check_one(std::string(folder), owner, true); !checked) return checked;
  }
  return {};
}

Result<void*> load_symbol(const std::string& path, const char* symbol) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail("plugin_broken", std::string("does not load: ") + ::dlerror(), path);
  void* address = ::dlsym(library, symbol);
  if (address == nullptr) {
    return fail("plugin_broken", std::string("does not export ") + symbol, path, "is it a Cocoon plugin?");
  }
  return address;
}

}  // namespace cocoon::os
