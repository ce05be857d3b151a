// A folder for one test, gone with it. Nobody but the test's user can write to it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cocoon {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "cocoon-test.XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    path_ = std::filesystem::canonical(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

  void make(const std::string& name) const { std::filesystem::create_directories(at(name)); }
  void copy_in(const std::string& from, const std::string& name) const {
    std::filesystem::copy_file(from, at(name));
    ::chmod(at(name).c_str(), 0755);
  }
  void write(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    std::ofstream(at(name)) << content;
    ::chmod(at(name).c_str(), mode);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

}  // namespace cocoon
