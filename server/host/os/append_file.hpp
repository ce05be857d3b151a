// A file that grows by whole lines, whoever else writes to it.
#pragma once

#include <cocoon/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace cocoon::os {

class AppendFile {
 public:
  AppendFile() = default;  // takes lines and drops them
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  AppendFile& operator=(AppendFile&&) = delete;

  // Made where it is missing, for its owner alone.
  static Result<AppendFile> open(const std::string& path);

  Result<void> append(std::string_view line);  // with its end
  bool is_open() const { return fd_ >= 0; }

 private:
  std::string path_;
  int fd_ = -1;
};

// The time of day in UTC as RFC 3339 has it, to the millisecond.
std::string utc_now();

}  // namespace cocoon::os
