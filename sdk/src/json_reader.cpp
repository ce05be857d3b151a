// Strict JSON reading: a SAX handler builds the tree within its bounds, and Reader takes it apart.
#include "json_reader.hpp"

#include "json_quick.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace cocoon::json {
namespace {

// Builds Values as the parser goes. The tree is never deeper than max_depth, so destroying and walking it is safe.
class Builder {
 public:
  explicit Builder(std::string_view what) : what_(what) {}

  Value take() { return std::move(root_); }
  Error take_error() { return std::move(error_); }

  bool null() { return add({}); }
  bool boolean(bool value) {
    Value v;
    v.kind = Kind::boolean;
    v.boolean = value;
    return add(std::move(v));
  }
  bool number_integer(std::int64_t value) {
    Value v;
    v.kind = value < 0 ? Kind::negative : Kind::integer;
    v.negative = value < 0 ? value : 0;
    v.integer = value < 0 ? 0 : static_cast<std::uint64_t>(value);
    return add(std::move(v));
  }
  bool number_unsigned(std::uint64_t value) {
    Value v;
    v.kind = Kind::integer;
    v.integer = value;
    return add(std::move(v));
  }
  bool number_float(double value, const std::string& /*text*/) {
    Value v;
    v.kind = Kind::number;
    v.number = value;
    return add(std::move(v));
  }
  bool string(std::string& value) {
    Value v;
    v.kind = Kind::text;
    v.text = std::move(value);
    return add(std::move(v));
  }
  bool binary(nlohmann::json::binary_t& /*value*/) { return fail_with("binary values are not allowed"); }
  bool start_object(std::size_t /*size*/) { return open(Kind::object); }
  bool start_array(std::size_t /*size*/) { return open(Kind::list); }
  bool end_object() { return repeated_key(open_.back()->members) ? false : close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    open_.back()->members.push_back({std::move(name), {}});
    return true;
  }

  template <typename Exception>
  bool parse_error(std::size_t position, const std::string& /*token*/, const Exception& why) {
    // The library prefixes its texts with "[json.exception...] parse error at line 1, column 2: ".
    std::string_view text = why.what();
    if (const auto colon = text.find(": "); colon != std::string_view::npos) text.remove_prefix(colon + 2);
    text = text.substr(0, 200);  // it quotes what was read last, and that may be a long string
    return fail_with("is not valid JSON at byte " + std::to_string(position) + ": " + std::string(text));
  }

 private:
  bool add(Value value) {
    if (++values_ > max_values) return fail_with("has more than " + std::to_string(max_values) + " values");
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back()->kind == Kind::list) {
      open_.back()->list.push_back(std::move(value));
    } else {
      open_.back()->members.back().value = std::move(value);
    }
    return true;
  }

  bool open(Kind kind) {
    if (open_.size() >= max_depth) return fail_with("is nested deeper than " + std::to_string(max_depth) + " levels");
    Value value;
    value.kind = kind;
    if (!add(std::move(value))) return false;
    // Pointers to open containers stay valid: a vector grows only at its end, and only the innermost one grows.
    if (open_.empty()) {
      open_.push_back(&root_);
    } else if (open_.back()->kind == Kind::list) {
      open_.push_back(&open_.back()->list.back());
    } else {
      open_.push_back(&open_.back()->members.back().value);
    }
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  // Two values for one key mean different things to different readers, so such a text has no meaning to rely on.
  bool repeated_key(const std::vector<Member>& members) {
    sorted_.clear();
    for (const Member& member : members) sorted_.push_back(member.key);
    std::sort(sorted_.begin(), sorted_.end());
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
    return twice != sorted_.end() && !fail_with("has the key '" + std::string(*twice) + "' twice in one object");
  }

  bool fail_with(std::string message) {
    error_ = Error{"bad_json", std::move(message), std::string(what_), {}};
    return false;
  }

  std::string_view what_;
  Value root_;
  std::vector<Value*> open_;
  std::vector<std::string_view> sorted_;
  std::size_t values_ = 0;
  Error error_;
};

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
    case Kind::negative:
      return "an integer";
    case Kind::number:
      return "a fractional or too large number";
    case Kind::text:
      return "a string";
    case Kind::list:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "";
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace

Result<Value> parse(std::string_view text, std::string_view what) {
  if (text.size() > max_bytes)
    return fail("bad_json", "is larger than " + std::to_string(max_bytes >> 20U) + " MiB", std::string(what));
  if (std::optional<Value> value = parse_quickly(text)) return std::move(*value);
  Builder builder(what);
  if (!nlohmann::json::sax_parse(text, &builder)) return Unexpected<Error>{builder.take_error()};
  return builder.take();
}

std::string to_string(const Path& path) {
  std::string text = path.parent != nullptr ? to_string(*path.parent) : std::string();
  if (path.index) return text + "[" + std::to_string(*path.index) + "]";
  if (!text.empty()) text += '.';
  return text += path.key;
}

Reader::Reader(const Value& value, const Path& path, Failure& failure) : path_(path), failure_(failure) {
  if (value.kind != Kind::object) {
    failure_.set(path_, "bad_value", "must be an object, not " + std::string(name_of(value.kind)));
    return;
  }
  object_ = &value;
  asked_.resize(value.members.size());
}

const Value* Reader::find(std::string_view key) {
  if (failed() || object_ == nullptr) return nullptr;
  const auto& members = object_->members;
  for (std::size_t step = 0; step < members.size(); ++step) {
    std::size_t i = next_ + step;
    if (i >= members.size()) i -= members.size();
    if (members[i].key != key) continue;
    asked_[i] = true;
    next_ = i + 1 == members.size() ? 0 : i + 1;
    return &members[i].value;
  }
  return nullptr;
}

const Value* Reader::take(std::string_view key, Kind kind, std::string_view wanted) {
  const Value* value = find(key);
  if (value == nullptr || value->kind == kind) return value;
  refuse(key, "must be " + std::string(wanted) + ", not " + std::string(name_of(value->kind)));
  return nullptr;
}

bool Reader::read_bytes(std::string_view key, std::string& out) {
  const Value* value = take(key, Kind::text, "a string");
  if (value == nullptr) return false;
  out = value->text;
  return true;
}

bool Reader::read(std::string_view key, std::string& out) {
  const Value* value = take(key, Kind::text, "a string");
  if (value == nullptr) return false;
  if (has_nul(value->text)) return refuse(key, "contains a NUL byte"), false;
  out = value->text;
  return true;
}

bool Reader::read(std::string_view key, bool& out) {
  const Value* value = take(key, Kind::boolean, "true or false");
  if (value == nullptr) return false;
  out = value->boolean;
  return true;
}

bool Reader::read(std::string_view key, std::uint64_t& out) {
  const Value* value = find(key);
  if (value == nullptr) return false;
  if (value->kind == Kind::negative) return refuse(key, "must not be negative"), false;
  if (value->kind != Kind::integer)
    return refuse(key, "must be an integer, not " + std::string(name_of(value->kind))), false;
  out = value->integer;
  return true;
}

bool Reader::read(std::string_view key, std::uint32_t& out) {
  std::uint64_t wide = 0;
  if (!read(key, wide)) return false;
  if (wide > std::numeric_limits<std::uint32_t>::max()) return refuse(key, "must be at most 4294967295"), false;
  out = static_cast<std::uint32_t>(wide);
  return true;
}

bool Reader::read(std::string_view key, int& out) {
  const Value* value = find(key);
  if (value == nullptr) return false;
  if (value->kind == Kind::integer && value->integer <= std::numeric_limits<int>::max()) {
    out = static_cast<int>(value->integer);
    return true;
  }
  if (value->kind == Kind::negative && value->negative >= std::numeric_limits<int>::min()) {
    out = static_cast<int>(value->negative);
    return true;
  }
  if (value->kind == Kind::integer || value->kind == Kind::negative)
    return refuse(key, "is out of the range of 32 bits"), false;
  return refuse(key, "must be an integer, not " + std::string(name_of(value->kind))), false;
}

bool Reader::read(std::string_view key, double& out) {
  const Value* value = find(key);
  if (value == nullptr) return false;
  if (value->kind == Kind::integer) {
    out = static_cast<double>(value->integer);
  } else if (value->kind == Kind::number && value->number >= 0) {
    out = value->number;
  } else if (value->kind == Kind::number || value->kind == Kind::negative) {
    return refuse(key, "must not be negative"), false;
  } else {
    return refuse(key, "must be a number, not " + std::string(name_of(value->kind))), false;
  }
  return true;
}

bool Reader::read(std::string_view key, std::vector<std::string>& out) {
  const Value* value = take(key, Kind::list, "a list of strings");
  if (value == nullptr) return false;
  const Path here{&path_, key, {}};
  std::vector<std::string> items;
  items.reserve(value->list.size());
  for (const Value& item : value->list) {
    const Path at{&here, {}, items.size()};
    if (item.kind != Kind::text)
      return failure_.set(at, "bad_value", "must be a string, not " + std::string(name_of(item.kind))), false;
    if (has_nul(item.text)) return failure_.set(at, "bad_value", "contains a NUL byte"), false;
    items.push_back(item.text);
  }
  out = std::move(items);
  return true;
}

bool Reader::read(std::string_view key, std::vector<std::pair<std::string, std::string>>& out) {
  const Value* value = take(key, Kind::object, "an object of strings");
  if (value == nullptr) return false;
  const Path here{&path_, key, {}};
  std::vector<std::pair<std::string, std::string>> items;
  items.reserve(value->members.size());
  for (const Member& member : value->members) {
    const Path at{&here, member.key, {}};
    if (member.value.kind != Kind::text)
      return failure_.set(at, "bad_value", "must be a string, not " + std::string(name_of(member.value.kind))), false;
    if (has_nul(member.key) || has_nul(member.value.text))
      return failure_.set(at, "bad_value", "contains a NUL byte"), false;
    items.emplace_back(member.key, member.value.text);
  }
  out = std::move(items);
  return true;
}

bool Reader::read_name(std::string_view key, std::size_t& index, std::span<const std::string_view> names) {
  std::string name;
  if (!read(key, name)) return false;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string known;
    for (const std::string_view each : names) (known += known.empty() ? "" : ", ") += each;
    return refuse(key, "'" + name + "' is not known", "one of: " + known), false;
  }
  index = static_cast<std::size_t>(found - names.begin());
  return true;
}

void Reader::require(bool present, std::string_view key) {
  if (!present && object_ != nullptr) failure_.set(Path{&path_, key, {}}, "missing_key", "is missing");
}

void Reader::refuse(std::string_view key, std::string message, std::string hint) {
  failure_.set(Path{&path_, key, {}}, "bad_value", std::move(message), std::move(hint));
}

void Reader::finish() {
  if (failed() || object_ == nullptr || failure_.unknown_keys == UnknownKeys::ignored) return;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (!asked_[i]) return failure_.set(Path{&path_, object_->members[i].key, {}}, "unknown_key", "is not known here");
}

}  // namespace cocoon::json
