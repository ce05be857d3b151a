// The catalog as each revision writes it. Absent is absent, never null: clients drop a whole list for one null in it.
#include "mcp/catalog.hpp"

namespace cocoon::mcp {
namespace {

void put_some(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

}  // namespace

Json to_json(const Tool& tool, Version version) {
  Json json = {{"name", tool.name}};
  if (has_structured_content(version)) put_some(json, "title", tool.title);
  put_some(json, "description", tool.description);
  json["inputSchema"] = tool.input_schema;
  if (has_structured_content(version) && !tool.output_schema.is_null()) json["outputSchema"] = tool.output_schema;
  if (has_annotations(version) && !tool.annotations.is_null()) json["annotations"] = tool.annotations;
  if (has_structured_content(version) && !tool.meta.is_null()) json["_meta"] = tool.meta;
  return json;
}

Json to_json(const Resource& resource, Version version, bool is_template) {
  Json json = {{is_template ? "uriTemplate" : "uri", resource.uri}, {"name", resource.name}};
  if (has_structured_content(version)) put_some(json, "title", resource.title);
  put_some(json, "description", resource.description);
  put_some(json, "mimeType", resource.mime_type);
  return json;
}

Json to_json(const Prompt& prompt, Version version) {
  Json json = {{"name", prompt.name}};
  if (has_structured_content(version)) put_some(json, "title", prompt.title);
  put_some(json, "description", prompt.description);
  if (!prompt.arguments.is_null()) json["arguments"] = prompt.arguments;
  return json;
}

Json capabilities_json(const Catalog& catalog, Version version) {
  Json json = Json::object();
  const Json plain = Json::object();
  const Json changing = {{"listChanged", true}};
  // Since 2026-07-28 changes are told on the streams of subscriptions/listen, which nothing here opens.
  const bool tells_changes = catalog.list_changed && !is_modern(version);
  if (!catalog.tools.empty()) json["tools"] = tells_changes ? changing : plain;
  if (!catalog.resources.empty() || !catalog.templates.empty()) {
    json["resources"] = tells_changes ? Json{{"subscribe", true}, {"listChanged", true}} : plain;
  }
  if (!catalog.prompts.empty()) json["prompts"] = tells_changes ? changing : plain;
  if (catalog.logging) json["logging"] = plain;
  if (catalog.completions && version >= Version::v2025_03_26) json["completions"] = plain;
  return json;
}

Json server_info_json(const Catalog& catalog, Version version) {
  Json json = {{"name", catalog.server_name}, {"version", catalog.server_version}};
  if (has_structured_content(version)) put_some(json, "title", catalog.server_title);
  return json;
}

}  // namespace cocoon::mcp
