// Keeping outputs, and their addresses.
#include "agent/outputs.hpp"

#include "host/os/random.hpp"

#include <charconv>

namespace cocoon::agent {
namespace {

constexpr std::string_view prefix = "cocoon://output/";

bool read_number(std::string_view text, std::size_t& out) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && rest == text.data() + text.size();
}

}  // namespace

std::string Outputs::keep(KeptOutput output) {
  const std::size_t bytes = output.out.size() + output.err.size();
  Entry entry{os::random_name(), bytes, std::make_shared<const KeptOutput>(std::move(output))};
  std::string id = entry.id;
  const std::lock_guard lock(mutex_);
  bytes_ += bytes;
  entries_.push_back(std::move(entry));
  while (bytes_ > max_bytes_ && entries_.size() > 1) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
  return id;
}

std::shared_ptr<const KeptOutput> Outputs::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.id == id) return entry.output;
  return nullptr;
}

std::optional<OutputRange> parse_output_uri(std::string_view uri) {
  if (!uri.starts_with(prefix)) return std::nullopt;
  uri.remove_prefix(prefix.size());
  OutputRange range;
  const std::size_t question = uri.find('?');
  std::string_view query = question == std::string_view::npos ? "" : uri.substr(question + 1);
  const std::string_view path = uri.substr(0, question);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  range.id = path.substr(0, slash);
  const std::string_view stream = path.substr(slash + 1);
  if (stream != "stdout" && stream != "stderr") return std::nullopt;
  range.is_stderr = stream == "stderr";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    std::size_t number = 0;
    if (part.starts_with("offset=") && read_number(part.substr(7), number)) {
      range.offset = number;
    } else if (part.starts_with("length=") && read_number(part.substr(7), number)) {
      range.length = number;
    } else {
      return std::nullopt;
    }
  }
  return range;
}

std::string output_uri(std::string_view id, bool is_stderr) {
  return std::string(prefix).append(id).append(is_stderr ? "/stderr" : "/stdout");
}

}  // namespace cocoon::agent
