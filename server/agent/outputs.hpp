// What runs printed beyond what their results show, kept for a while so that it can be read by range.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace cocoon::agent {

struct KeptOutput {
  std::string out;  // bytes, from the beginning
  std::string err;
};

class Outputs {
 public:
  explicit Outputs(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // [any thread] Returns a name that nobody can guess: whoever has it may read. The oldest outputs make room.
  std::string keep(KeptOutput output);
  std::shared_ptr<const KeptOutput> find(std::string_view id);

 private:
  struct Entry {
    std::string id;
    std::size_t bytes;
    std::shared_ptr<const KeptOutput> output;
  };

  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
};

// "cocoon://output/ID/stdout?offset=N&length=M"
struct OutputRange {
  std::string id;
  bool is_stderr = false;
  std::size_t offset = 0;
  std::optional<std::size_t> length;
};
std::optional<OutputRange> parse_output_uri(std::string_view uri);
std::string output_uri(std::string_view id, bool is_stderr);

}  // namespace cocoon::agent
