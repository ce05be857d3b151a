// JSON Schemas of the tool that runs programs: made from the table of request fields, and flat, as clients need them.
#include "agent/agent.hpp"
#include "plan/text.hpp"

#include <array>

namespace cocoon::agent {
namespace {

using mcp::Json;

Json typed(const char* type, const char* description) {
  Json json = {{"type", type}};
  if (*description != '\0') json["description"] = description;
  return json;
}

// "type" with two names becomes one alternative for each: clients that hand schemas on to models often know single types
// alone. Keywords that hold for one of them go with it.
Json with_single_types(Json property) {
  const Json* types = mcp::find(property, "type");
  if (types == nullptr || !types->is_array()) return property;
  Json alternatives = Json::array();
  for (const Json& type : *types) {
    Json& alternative = alternatives.emplace_back(Json{{"type", type}});
    const char* keyword = type == "array" ? "items" : "minimum";
    if (type != "string" && property.contains(keyword)) alternative[keyword] = property[keyword];
  }
  for (const char* keyword : {"type", "items", "minimum"}) property.erase(keyword);
  property["anyOf"] = std::move(alternatives);
  return property;
}

void make_types_single(Json& properties) {
  for (auto& [name, property] : properties.items()) property = with_single_types(std::move(property));
}

}  // namespace

// What runs one thing has no steps, and what runs steps has nothing to run beside them.
bool takes_field(bool of_pipeline, std::string_view field) {
  constexpr std::array<std::string_view, 3> of_pipelines{"steps", "step_timeout", "keep_going"};
  constexpr std::array<std::string_view, 8> of_one{"command", "runtime", "code",  "file",
                                                   "args",    "rootfs",  "mount", "readonly"};
  if (field == "name") return false;
  return of_pipeline ? !contains(of_one, field) : !contains(of_pipelines, field);
}

std::vector<std::string> status_names() {
  std::vector<std::string> names;
  for (auto status = Status::exited; status <= Status::planned;
       status = static_cast<Status>(static_cast<std::uint8_t>(status) + 1))
    names.emplace_back(to_string(status));
  return names;
}

Json run_input_schema(const std::vector<std::string>& runtimes, bool of_pipeline) {
  Json schema = Json::parse(request_schema());
  schema.erase("$schema");
  schema.erase("title");
  schema.erase("description");
  Json& properties = schema["properties"];
  for (const Field& field : request_fields()) {
    if (takes_field(of_pipeline, field.name)) continue;
    properties.erase(std::string(field.name));
    properties.erase(std::string(field.alias));
  }
  if (!runtimes.empty()) {
    Json& runtime = of_pipeline ? properties["steps"]["items"]["properties"]["runtime"] : properties["runtime"];
    runtime["description"] = "Language runtime that executes code or file: " + joined(runtimes, ", ") + ".";
  }
  make_types_single(properties);
  if (!of_pipeline) return schema;
  make_types_single(properties["steps"]["items"]["properties"]);
  schema["required"] = Json::array({"steps"});
  return schema;
}

// schema/outcome.schema.json without references, and with where to read what is not shown.
Json outcome_schema(bool of_pipeline) {
  Json error = Json::object();
  for (const char* name : {"code", "message", "where", "hint"}) error[name] = typed("string", "");
  Json p = Json::object();
  p["exit_code"] = typed("integer", "The program's own; 128 + n on signal n, 124 timed out, 125 never started.");
  p["status"] = {{"type", "string"},
                 {"enum", status_names()},
                 {"description", "Why it ended; setup_failed: nothing was run, and error says why."}};
  p["signal"] = typed("integer", "");
  p["stdout"] = typed("string", "");
  p["stderr"] = typed("string", "");
  p["duration_ms"] = typed("number", "");
  p["wall_ms"] = typed("integer", "");
  p["cpu_ms"] = typed("number", "");
  p["peak_mem_kib"] = typed("integer", "");
  p["memory_meter"] = typed("string", "What measured peak_mem_kib.");
  p["timed_out"] = typed("boolean", "");
  p["oom_killed"] = typed("boolean", "");
  p["stdout_bytes"] = typed("integer", "");
  p["stderr_bytes"] = typed("integer", "");
  p["stdout_truncated"] = typed("boolean", "Only its beginning and end are shown.");
  p["stderr_truncated"] = typed("boolean", "");
  p["full_stdout"] = typed("string", "For read_output, where stdout is not shown whole or is no text.");
  p["full_stderr"] = typed("string", "");
  p["driver"] = typed("string", "");
  p["isolation"] = {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  p["limits_hit"] = {{"type", "array"}, {"items", {{"type", "string"}}}};
  p["planted"] = {{"type", "array"},
                  {"items", {{"type", "string"}}},
                  {"description", "Files that programs obey later, which the run created in the work folder."}};
  p["error"] = {{"type", "object"}, {"properties", error}};
  Json schema = {{"type", "object"}, {"properties", p}, {"required", {"exit_code", "status"}}};
  if (!of_pipeline) return schema;
  p["name"] = typed("string", "");
  schema["properties"]["steps"] = {{"type", "array"},
                                   {"items", {{"type", "object"}, {"properties", p}}},
                                   {"description", "What each step did, in order; its output is here."}};
  schema["properties"]["steps_skipped"] = typed("integer", "Steps that were not run, since an earlier one failed.");
  return schema;
}

}  // namespace cocoon::agent
