// Reading is done by the strict reader that all our documents go through; its tree is bounded, so it is safe to walk.
#include "mcp/json.hpp"

#include "json_reader.hpp"

#include <utility>

namespace cocoon::mcp {
namespace {

Json converted(json::Value&& value) {  // NOLINT(misc-no-recursion): at most 64 deep
  switch (value.kind) {
    case json::Kind::null:
      return nullptr;
    case json::Kind::boolean:
      return value.boolean;
    case json::Kind::integer:
      return value.integer;
    case json::Kind::negative:
      return value.negative;
    case json::Kind::number:
      return value.number;
    case json::Kind::text:
      return std::move(value.text);
    case json::Kind::list: {
      Json list = Json::array();
      for (json::Value& item : value.list) list.push_back(converted(std::move(item)));
      return list;
    }
    case json::Kind::object: {
      Json object = Json::object();
      // The reader has refused repeated keys; to look for them again would take quadratic time.
      auto& members = object.get_ref<Json::object_t&>();
      members.reserve(value.members.size());
      for (json::Member& member : value.members)
        members.Container::emplace_back(std::move(member.key), converted(std::move(member.value)));
      return object;
    }
  }
  return nullptr;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  Result<json::Value> value = json::parse(text, "message");
  if (!value) return Unexpected<Error>{std::move(value.error())};
  return converted(std::move(*value));
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json* find(const Json& json, std::string_view name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::string text_of(const Json& json, std::string_view name) {
  const Json* value = find(json, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace cocoon::mcp
