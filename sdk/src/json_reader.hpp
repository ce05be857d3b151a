// Strict JSON reading for the value types: every key is known, or knowingly ignored; every type fits, every error names the key path.
#pragma once

#include <cocoon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon::json {

// Far more than any of our documents needs. Deeper nesting would let a small text exhaust the stack of whoever walks
// the tree; a larger text, or one of very many small values, would let one message exhaust memory.
inline constexpr std::size_t max_depth = 64;
inline constexpr std::size_t max_values = 65'536;
inline constexpr std::size_t max_bytes = 16U << 20U;

enum class Kind : std::uint8_t { null, boolean, integer, negative, number, text, list, object };

struct Member;

// A parsed value. Members keep the order of the text.
struct Value {
  Kind kind = Kind::null;
  bool boolean = false;
  std::uint64_t integer = 0;  // Kind::integer: 0 and above
  std::int64_t negative = 0;  // Kind::negative: below 0
  double number = 0;          // Kind::number: written with a fraction or an exponent, or too large for an integer
  std::string text;
  std::vector<Value> list;
  std::vector<Member> members;
};

struct Member {
  std::string key;
  Value value;
};

// Refuses malformed text, invalid UTF-8, repeated keys, bytes after the value, and what exceeds the bounds above. what
// names the text in errors: "plan".
Result<Value> parse(std::string_view text, std::string_view what);

// A step from the top of the text to a value; rendered ("stages[0].argv") only when there is something to report.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;
  std::optional<std::size_t> index;
};
std::string to_string(const Path& path);

// What becomes of keys that nobody asks for. In what a plugin says they are those of a later version, and ignored; in what
// decides or restricts (plan, request) ignoring one would be a decision.
enum class UnknownKeys : std::uint8_t { refused, ignored };

// The first error of a reading, and its rules. Readers of nested objects share one.
struct Failure {
  UnknownKeys unknown_keys = UnknownKeys::refused;
  std::optional<Error> error;

  void set(const Path& path, std::string_view code, std::string message, std::string hint = {}) {
    if (!error) error = Error{std::string(code), std::move(message), to_string(path), std::move(hint)};
  }
};

// Reads one object key by key. Each call stores the key's value where it is present and returns whether it was; after
// the first failure nothing more is stored. finish() reports the keys that nobody asked for, unless they are ignored.
class Reader {
 public:
  Reader(const Value& value, const Path& path, Failure& failure);

  bool read(std::string_view key, std::string& out);  // without NUL bytes: the kernel would cut the text there
  bool read_bytes(std::string_view key, std::string& out);
  bool read(std::string_view key, bool& out);
  bool read(std::string_view key, std::uint32_t& out);
  bool read(std::string_view key, std::uint64_t& out);
  bool read(std::string_view key, int& out);
  bool read(std::string_view key, double& out);  // zero or more
  bool read(std::string_view key, std::vector<std::string>& out);
  bool read(std::string_view key, std::vector<std::pair<std::string, std::string>>& out);  // an object of strings

  // Enumerations: the names in the order of the enumerators.
  template <typename Enum>
  bool read(std::string_view key, Enum& out, std::span<const std::string_view> names) {
    std::size_t index = 0;
    if (!read_name(key, index, names)) return false;
    out = static_cast<Enum>(index);
    return true;
  }

  // A list of objects, or one nested object; body gets a Reader, which is finished for it.
  template <typename Body>
  bool read_objects(std::string_view key, Body body) {
    const Value* list = take(key, Kind::list, "a list");
    if (list == nullptr) return false;
    const Path here{&path_, key, {}};
    for (std::size_t i = 0; i < list->list.size() && !failed(); ++i) {
      const Path item{&here, {}, i};
      Reader reader(list->list[i], item, failure_);
      body(reader);
      reader.finish();
    }
    return !failed();
  }
  template <typename Body>
  bool read_object(std::string_view key, Body body) {
    const Value* value = take(key, Kind::object, "an object");
    if (value == nullptr) return false;
    const Path here{&path_, key, {}};
    Reader reader(*value, here, failure_);
    body(reader);
    reader.finish();
    return !failed();
  }

  // The value of any kind, marked as asked for; NULL where absent or after a failure.
  const Value* find(std::string_view key);

  void require(bool present, std::string_view key);
  void refuse(std::string_view key, std::string message, std::string hint = {});
  void finish();
  bool failed() const { return failure_.error.has_value(); }

 private:
  const Value* take(std::string_view key, Kind kind, std::string_view wanted);
  bool read_name(std::string_view key, std::size_t& index, std::span<const std::string_view> names);

  const Value* object_ = nullptr;
  const Path& path_;
  Failure& failure_;
  std::vector<bool> asked_;
  std::size_t next_ = 0;  // where the next key most likely is: our own documents come in the order of reading
};

// Parses text and reads its top object; body must ask for every key that is allowed.
template <typename Body>
Result<void> read_document(std::string_view text, std::string_view what, Body body,
                           UnknownKeys unknown_keys = UnknownKeys::refused) {
  auto value = parse(text, what);
  if (!value) return Unexpected<Error>{std::move(value.error())};
  Failure failure{unknown_keys, {}};
  const Path top{nullptr, what, {}};
  Reader reader(*value, top, failure);
  body(reader);
  reader.finish();
  if (failure.error) return Unexpected<Error>{std::move(*failure.error)};
  return {};
}

}  // namespace cocoon::json
