// File descriptors that come from whoever started us, and files opened to become a guest's standard input.
#pragma once

#include <cocoon/result.hpp>

#include <string>
#include <string_view>

namespace cocoon::os {

constexpr int kStdin = 0;
constexpr int kStdout = 1;
constexpr int kStderr = 2;

// First thing in main: opens what is closed of descriptors 0, 1 and 2. Otherwise the next file opened would be taken
// for one of them, and the guest's output would end up in it.
void open_missing_standard_fds();

bool is_terminal(int fd);

Result<int> open_for_reading(const std::string& path);
// A descriptor from which text is read; nothing of it is seen in the file system.
Result<int> readable_text(std::string_view text);
void close_fd(int fd);

}  // namespace cocoon::os
