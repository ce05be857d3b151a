// Reading and writing whole files in tests; a file that should be there and is not fails the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cocoon::test {

inline std::filesystem::path source_folder() { return COCOON_SOURCE_DIR; }

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "can't read " << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  EXPECT_TRUE(file.good()) << "can't write " << path;
}

}  // namespace cocoon::test
