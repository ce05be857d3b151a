// Sampler: what the processes of one sandbox use, read from the sandbox's own procfs by the supervisor outside.
#include "sampler.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace cocoon::linux_driver {
namespace {

struct DirectoryEntry {  // linux_dirent64
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// Reads up to size - 1 bytes of a file below folder; returns the text.
std::string_view read_small(int folder, const char* path, char* buffer, std::size_t size) {
  const int fd = ::openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t length = ::read(fd, buffer, size);
  ::close(fd);
  return {buffer, length > 0 ? static_cast<std::size_t>(length) : 0};
}

// The n-th field (from 0) of text split at runs of blanks, as a number.
std::uint64_t field(std::string_view text, unsigned n) {
  std::size_t at = 0;
  for (;; --n) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string_view::npos) return 0;
    if (n == 0) break;
    at = text.find(' ', at);
    if (at == std::string_view::npos) return 0;
  }
  std::uint64_t number = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

std::uint64_t number_after(std::string_view text, const char* key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  std::string_view number = text.substr(at + std::strlen(key));
  while (!number.empty() && (number[0] == ' ' || number[0] == '\t')) number.remove_prefix(1);
  return field(number, 0);
}

template <typename Visit>
void each_process(int proc, Visit visit) {
  alignas(DirectoryEntry) char buffer[8192];
  if (::lseek(proc, 0, SEEK_SET) != 0) return;
  for (;;) {
    const long length = ::syscall(SYS_getdents64, proc, buffer, sizeof buffer);
    if (length <= 0) return;
    for (long at = 0; at < length;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry->length;
      if (entry->name[0] >= '1' && entry->name[0] <= '9') visit(entry->name);
    }
  }
}

}  // namespace

Sample Sampler::take() {
  static const std::uint64_t page_kib = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
  static const std::uint64_t tick_us = 1'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  Sample sample;
  std::map<int, std::uint64_t> seen;
  each_process(proc_, [&](const char* name) {
    const int pid = static_cast<int>(std::strtol(name, nullptr, 10));
    if (pid == 1 && init_is_ours_) return;
    char path[32], buffer[1024];
    std::snprintf(path, sizeof path, "%s/stat", name);
    errno = 0;
    std::string_view text = read_small(proc_, path, buffer, sizeof buffer);
    if (text.empty() && errno != 0 && errno != ENOENT && errno != ESRCH) sample.blind = true;
    const std::size_t end_of_name = text.rfind(')');  // the name may hold blanks and parentheses
    if (end_of_name == std::string_view::npos) return;
    text.remove_prefix(end_of_name + 1);
    // proc_pid_stat(5), counted from the state, which is field 3 there and 0 here.
    const std::uint64_t cpu = (field(text, 11) + field(text, 12)) * tick_us;
    ++sample.processes;
    sample.tasks += field(text, 17);
    sample.resident_kib += field(text, 21) * page_kib;
    seen.emplace(pid, cpu);
  });
  for (const auto& [pid, cpu] : cpu_us_by_pid_) {
    const auto now = seen.find(pid);
    if (now == seen.end() || now->second < cpu) gone_cpu_us_ += cpu;
  }
  cpu_us_by_pid_ = std::move(seen);
  sample.cpu_us = gone_cpu_us_;
  for (const auto& [pid, cpu] : cpu_us_by_pid_) sample.cpu_us += cpu;
  return sample;
}

// Adds up "Key:   number kB" lines of one file of every process.
Sampler::Private Sampler::sum_fields(const char* file, std::initializer_list<const char*> own, const char* shared) {
  Private total;
  each_process(proc_, [&](const char* name) {
    char path[48];
    char buffer[16384];  // status lists every supplementary group before what is looked for
    std::snprintf(path, sizeof path, "%s/%s", name, file);
    const std::string_view text = read_small(proc_, path, buffer, sizeof buffer);
    for (const char* key : own) total.own_kib += number_after(text, key);
    total.shared_kib += number_after(text, shared);
  });
  return total;
}

Sampler::Private Sampler::private_memory() {
  return sum_fields("status", {"\nRssAnon:", "\nVmSwap:", "\nVmPTE:"}, "\nRssShmem:");
}

Sampler::Private Sampler::exact_memory() {
  return sum_fields("smaps_rollup", {"\nPss_Anon:", "\nSwapPss:"}, "\nPss_Shmem:");
}

std::uint64_t Sampler::peak_of_first_kib() const {
  char buffer[16384];
  return number_after(read_small(proc_, "1/status", buffer, sizeof buffer), "\nVmHWM:");
}

std::uint64_t Sampler::sysv_shm_kib() const {
  if (shm_ < 0) return 0;
  std::uint64_t bytes = 0;
  char buffer[65536];
  const ssize_t length = ::pread(shm_, buffer, sizeof buffer, 0);
  std::string_view text(buffer, length > 0 ? static_cast<std::size_t>(length) : 0);
  for (std::size_t line = text.find('\n'); line != std::string_view::npos && line + 1 < text.size();
       line = text.find('\n', line + 1)) {
    const std::string_view row = text.substr(line + 1, text.find('\n', line + 1) - line - 1);
    bytes += field(row, 14) + field(row, 15);  // rss and swap
  }
  return bytes / 1024;
}

}  // namespace cocoon::linux_driver
