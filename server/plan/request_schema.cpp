// JSON Schema of request JSON, made from the field table.
#include "plan/request.hpp"
#include "plan/text.hpp"

#include <nlohmann/json.hpp>

namespace cocoon {
namespace {

using Json = nlohmann::ordered_json;

Json text_schema() { return Json{{"type", "string"}}; }

Json words(std::string_view choices) {
  Json list = Json::array();
  for (const std::string_view word : split(choices, '|')) list.push_back(word);
  return list;
}

Json type_schema(const Field& field) {
  Json json = Json::object();
  switch (field.type) {
    case FieldType::text:
    case FieldType::path:
      json["type"] = "string";
      break;
    case FieldType::choice:
      json["type"] = "string";
      json["enum"] = words(field.choices);
      break;
    case FieldType::text_list:
    case FieldType::path_list:
      // A command may also be one string for a shell.
      if (field.name == "command") {
        json["type"] = Json::array({"array", "string"});
      } else {
        json["type"] = "array";
      }
      json["items"] = text_schema();
      if (!field.choices.empty()) json["items"]["enum"] = words(field.choices);
      break;
    case FieldType::pairs:
      json["type"] = "object";
      json["additionalProperties"] = text_schema();
      break;
    case FieldType::duration:
      json["type"] = Json::array({"number", "string"});
      json["minimum"] = 0;
      break;
    case FieldType::size:
      json["type"] = Json::array({"integer", "string"});
      json["minimum"] = 1;
      break;
    case FieldType::count:
      json["type"] = "integer";
      json["minimum"] = 1;
      break;
    case FieldType::flag:
      json["type"] = "boolean";
      break;
    case FieldType::steps:
      json["type"] = "array";
      json["items"] = Json{{"type", "object"}, {"additionalProperties", false}};
      break;
  }
  return json;
}

std::string description(const Field& field) {
  std::string text(field.help);
  if (!field.unit.empty()) (text += " A bare number counts ") += std::string(field.unit) + ".";
  if (!field.fallback.empty()) (text += " Default: ") += std::string(field.fallback) + ".";
  return text;
}

void add_property(Json& properties, const Field& field) {
  Json schema = type_schema(field);
  schema["description"] = description(field);
  properties[std::string(field.name)] = schema;
  if (field.alias.empty()) return;
  schema["description"] = "Another name of " + std::string(field.name) + ".";
  properties[std::string(field.alias)] = std::move(schema);
}

}  // namespace

std::string request_schema() {
  Json json = Json::object();
  json["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  json["title"] = "Cocoon request";
  json["description"] =
      "What to run and within which bounds: a command, a runtime with code or a file, a command in a rootfs, or steps "
      "that each are one of the first two.";
  json["type"] = "object";
  json["additionalProperties"] = false;
  Json& properties = json["properties"] = Json::object();
  for (const Field& field : request_fields())
    if (field.name != "name") add_property(properties, field);
  Json& of_step = properties["steps"]["items"]["properties"] = Json::object();
  for (const Field& field : request_fields())
    if (is_step_field(field.name)) add_property(of_step, field);
  return json.dump(2) + "\n";
}

}  // namespace cocoon
