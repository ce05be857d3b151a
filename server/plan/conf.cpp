// cocoon.conf -> Request: one `key = value` a line.
#include "plan/request.hpp"
#include "plan/text.hpp"

#include <array>

namespace cocoon {
namespace {

constexpr std::size_t max_bytes = 1U << 20U;

struct Key {
  std::string_view name;
  std::string_view field;  // of the request
  bool repeatable;
};

constexpr std::array keys{
    Key{"profile", "profile", false},
    Key{"hostname", "hostname", false},
    Key{"cwd", "cwd", false},
    Key{"argv", "command", false},
    Key{"env", "env", true},
    Key{"mount", "mount", true},
    Key{"timeout", "timeout", false},
    Key{"net", "net", false},
    Key{"readonly", "readonly", false},
    Key{"memory_max", "memory_max", false},
    Key{"pids_max", "pids_max", false},
};

bool is_space(char c) { return c == ' ' || c == '\t'; }

// The index behind the quoted part that begins at text[open]; npos: it is never closed.
std::size_t end_of_quotes(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// A '#' starts a comment only at the line's start or after white space, and not inside double quotes. A quote that is
// never closed is a character like any other here (argv refuses it later).
std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || is_space(line[i - 1]))) return line.substr(0, i);
    if (line[i] != '"') continue;
    const std::size_t end = end_of_quotes(line, i);
    if (end != std::string_view::npos) i = end - 1;
  }
  return line;
}

// Words between white space. Inside double quotes white space is kept, \" is a quote and \\ a backslash; any other
// backslash stands for itself, so that "printf 'a\n'" reaches the program as written.
Result<std::vector<std::string>> split_words(std::string_view text, std::string_view where) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    std::string& word = words.emplace_back();
    while (i < text.size() && !is_space(text[i])) {
      if (text[i] != '"') {
        word += text[i++];
        continue;
      }
      const std::size_t end = end_of_quotes(text, i);
      if (end == std::string_view::npos)
        return fail("bad_conf", "a double quote is never closed", std::string(where),
                    "a quote inside double quotes is written as \\\"");
      for (++i; i + 1 < end; ++i) {
        if (text[i] == '\\' && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
        word += text[i];
      }
      i = end;
    }
  }
  return words;
}

class ConfReader {
 public:
  explicit ConfReader(std::string_view bundle) : bundle_(bundle) { request_.rootfs = std::string(bundle) + "/rootfs"; }

  Result<void> read_line(std::string_view line, std::size_t number) {
    const std::string where = "cocoon.conf:" + std::to_string(number);
    if (has_nul(line)) return fail("bad_conf", "contains a NUL byte", where);
    line = trim(without_comment(line));
    if (line.empty()) return {};
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return fail("bad_conf", quoted(line) + " is not key = value", where);
    const std::string_view name = trim(line.substr(0, equals));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].name != name) continue;
      if (!keys[i].repeatable && first_line_[i] != 0)
        return fail("bad_conf", std::string(name) + " is given twice", where,
                    "line " + std::to_string(first_line_[i]) + " sets it already");
      first_line_[i] = number;
      return read_value(keys[i], trim(line.substr(equals + 1)), where);
    }
    return fail("unknown_key", quoted(name) + " is not a key", where, "one of: " + known_keys());
  }

  Result<Request> take() {
    if (request_.command.empty())
      return fail("missing_key", "argv is missing", "cocoon.conf", "argv = PROGRAM ARGS...");
    return std::move(request_);
  }

 private:
  Result<void> read_value(const Key& key, std::string_view value, const std::string& where) {
    const Field& field = *find_field(key.field);
    if (key.name == "argv") return read_argv(field, value, where);
    if (value.empty()) return fail("bad_value", std::string(key.name) + " has no value", where);
    auto set = set_field(request_, field, value, where);
    if (!set) {
      set.error().message = std::string(key.name) + ": " + set.error().message;
      return set;
    }
    // A bundle is one folder: what it names relatively lies in it, wherever the caller is.
    if (key.name == "mount" && !request_.mounts.back().source.starts_with('/'))
      request_.mounts.back().source = std::string(bundle_) + "/" + request_.mounts.back().source;
    return {};
  }

  Result<void> read_argv(const Field& field, std::string_view value, const std::string& where) {
    auto words = split_words(value, where);
    if (!words) return Unexpected<Error>{std::move(words.error())};
    if (words->empty() || words->front().empty()) return fail("bad_value", "argv names no program", where);
    for (const std::string& word : *words)
      if (auto set = set_field(request_, field, word, where); !set) return set;
    return {};
  }

  static std::string known_keys() {
    std::vector<std::string_view> names;
    names.reserve(keys.size());
    for (const Key& key : keys) names.push_back(key.name);
    return joined(names, ", ");
  }

  std::string_view bundle_;
  Request request_;
  std::array<std::size_t, keys.size()> first_line_{};  // 0: not given yet
};

}  // namespace

Result<Request> parse_conf(std::string_view text, std::string_view bundle) {
  if (text.size() > max_bytes) return fail("bad_conf", "is larger than 1 MiB", "cocoon.conf");
  ConfReader reader(bundle);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (auto read = reader.read_line(text.substr(0, end), number); !read)
      return Unexpected<Error>{std::move(read.error())};
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return reader.take();
}

}  // namespace cocoon
