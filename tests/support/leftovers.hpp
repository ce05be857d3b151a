// What a run may leave behind on the host: child processes, descriptors, control groups; and a folder that cleans up.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace cocoon::test {

inline std::set<std::string> list_folder(const std::string& path) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) names.insert(entry.path().filename());
  return names;
}

// Compares what this process has before and after a test.
class Leftovers {
 public:
  Leftovers() : before_(take()) {}

  // Empty, or what is there now and was not before.
  std::string difference() const {
    std::string text;
    for (const std::string& item : take())
      if (!before_.contains(item)) text += item + "\n";
    return text;
  }

 private:
  static std::set<std::string> take() {
    std::set<std::string> items;
    std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    for (std::string pid; children >> pid;) items.insert("child process " + pid);
    for (const std::string& fd : list_folder("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink("/proc/self/fd/" + fd, error);
      // The init program is kept for the life of the process, and this listing has a descriptor of its own.
      if (error || target.find("memfd:cocoon-init") != std::string::npos || target.find("/proc/") == 0) continue;
      items.insert("descriptor " + fd + " " + target);
    }
    std::error_code error;
    for (auto entry = std::filesystem::recursive_directory_iterator(
             "/sys/fs/cgroup", std::filesystem::directory_options::skip_permission_denied, error);
         !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error))
      if (entry->path().filename().string().starts_with("cocoon-" + std::to_string(::getpid()) + "-"))
        items.insert("control group " + entry->path().string());
    return items;
  }

  std::set<std::string> before_;
};

class TempFolder {
 public:
  TempFolder() {
    std::string name = std::filesystem::temp_directory_path() / "cocoon-test-XXXXXX";
    if (::mkdtemp(name.data())) path_ = std::filesystem::canonical(name);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cocoon::test
