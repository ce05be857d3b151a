// Request JSON -> Request: each value becomes the text that the field table understands, so that all spellings agree.
#include "json_reader.hpp"
#include "plan/request.hpp"
#include "plan/text.hpp"

namespace cocoon {
namespace {

using json::Kind;
using json::Value;

class RequestReader {
 public:
  explicit RequestReader(Request& request) : request_(request) {}

  Result<void> read(const Field& field, const Value& value, const std::string& key) {
    switch (field.type) {
      case FieldType::text:
      case FieldType::path:
      case FieldType::choice:
        if (value.kind != Kind::text) return wrong(key, "a string");
        return set_field(request_, field, value.text, key);
      case FieldType::text_list:
      case FieldType::path_list:
        return read_list(field, value, key);
      case FieldType::pairs:
        return read_pairs(field, value, key);
      case FieldType::flag:
        if (value.kind != Kind::boolean) return wrong(key, "true or false");
        return set_field(request_, field, value.boolean ? "true" : "false", key);
      case FieldType::duration:
        return read_duration(field, value, key);
      case FieldType::size:
        if (value.kind == Kind::text) return set_field(request_, field, value.text, key);
        if (value.kind != Kind::integer)
          return wrong(key, "a whole number of " + std::string(field.unit) + " or a text such as \"128M\"");
        return set_field(request_, field, std::to_string(value.integer), key);
      case FieldType::count:
        if (value.kind != Kind::integer) return wrong(key, "a whole number");
        return set_field(request_, field, std::to_string(value.integer), key);
      case FieldType::steps:
        return read_steps(value, key);
    }
    return {};
  }

  // within: of a step, "steps[1]".
  Result<void> read_all(const Value& object, const std::string& within) {
    std::vector<const Field*> seen;
    for (const json::Member& member : object.members) {
      const std::string key = within.empty() ? member.key : within + "." + member.key;
      const Field* field = find_field(member.key);
      if (field == nullptr) return fail("unknown_key", "is not known", key, "the keys are those of the request schema");
      if (!within.empty() && !is_step_field(field->name))
        return fail("unknown_key", "is not a step's to say", key, "say it of the whole pipeline");
      if (within.empty() && field->name == "name")
        return fail("unknown_key", "only steps have a name", key, "leave it out");
      for (const Field* other : seen)
        if (other == field)
          return fail("bad_value", "is given twice", key,
                      std::string(field->name) + " and " + std::string(field->alias) + " are the same");
      seen.push_back(field);
      if (auto done = read(*field, member.value, key); !done) return done;
    }
    return {};
  }

 private:
  static Unexpected<Error> wrong(const std::string& key, const std::string& wanted) {
    return fail("bad_value", "must be " + wanted, key);
  }

  Result<void> read_list(const Field& field, const Value& value, const std::string& key) {
    if (field.name == "command" && value.kind == Kind::text) {
      for (const std::string_view word : {std::string_view("/bin/sh"), std::string_view("-c")})
        if (auto set = set_field(request_, field, word, key); !set) return set;
      return set_field(request_, field, value.text, key);
    }
    if (value.kind != Kind::list) return wrong(key, "a list of strings");
    for (std::size_t i = 0; i < value.list.size(); ++i) {
      const std::string item = key + "[" + std::to_string(i) + "]";
      if (value.list[i].kind != Kind::text) return wrong(item, "a string");
      if (auto set = set_field(request_, field, value.list[i].text, item); !set) return set;
    }
    return {};
  }

  Result<void> read_pairs(const Field& field, const Value& value, const std::string& key) {
    if (value.kind != Kind::object) return wrong(key, "an object of strings");
    for (const json::Member& member : value.members) {
      const std::string item = key + "." + member.key;
      if (member.value.kind != Kind::text) return wrong(item, "a string");
      if (member.key.find('=') != std::string::npos) return fail("bad_value", "has '=' in its name", item);
      if (auto set = set_field(request_, field, member.key + "=" + member.value.text, item); !set) return set;
    }
    return {};
  }

  // Seconds; a fraction is rounded up to whole milliseconds.
  Result<void> read_duration(const Field& field, const Value& value, const std::string& key) {
    if (value.kind == Kind::text) return set_field(request_, field, value.text, key);
    if (value.kind == Kind::integer) return set_field(request_, field, std::to_string(value.integer), key);
    if (value.kind != Kind::number || value.number < 0)
      return wrong(key, "a number of seconds or a text such as \"500ms\"");
    if (value.number > 1e9) return fail("bad_value", "is longer than a year", key);
    auto ms = static_cast<std::uint64_t>(value.number * 1000);
    if (static_cast<double>(ms) < value.number * 1000) ++ms;
    return set_field(request_, field, std::to_string(ms) + "ms", key);
  }

  Result<void> read_steps(const Value& value, const std::string& key) {
    if (value.kind != Kind::list) return wrong(key, "a list of steps");
    for (std::size_t i = 0; i < value.list.size(); ++i) {
      const std::string item = key + "[" + std::to_string(i) + "]";
      if (value.list[i].kind != Kind::object) return wrong(item, "an object");
      if (auto done = RequestReader(request_.steps.emplace_back()).read_all(value.list[i], item); !done) return done;
    }
    return {};
  }

  Request& request_;
};

}  // namespace

Result<Request> parse_request(std::string_view text) {
  auto top = json::parse(text, "request");
  if (!top) return Unexpected<Error>{std::move(top.error())};
  if (top->kind != Kind::object) return fail("bad_value", "must be an object", "request");
  Request request;
  RequestReader reader(request);
  if (auto read = reader.read_all(*top, ""); !read) return Unexpected<Error>{std::move(read.error())};
  return request;
}

}  // namespace cocoon
