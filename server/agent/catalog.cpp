// The tools and resources as agents see them first. A model has to use them right from these texts alone.
#include "agent/agent.hpp"
#include "plan/host_paths.hpp"
#include "plan/text.hpp"

namespace cocoon::agent {
namespace {

using mcp::Json;

// "`file`, `rootfs`, `ro`, ..."
std::string path_arguments() {
  std::string text;
  for (const Field& field : request_fields()) {
    if (!names_host_path(field)) continue;
    text.append(text.empty() ? "`" : ", `").append(field.name).append("`");
  }
  return text;
}

std::string run_description(const OperatorPolicy& policy, const std::vector<std::string>& runtimes) {
  const std::string folders = allowed_folders_text(policy);
  std::string text =
      "Run code or a command in a fresh, isolated Linux sandbox and return what it printed, its exit code, and why it "
      "ended.\nGive exactly one of: `runtime` with `code`; `runtime` with `file` (and `args`); `command`, a list of "
      "program and arguments (one string is run by /bin/sh). ";
  if (!runtimes.empty()) text += "Runtimes: " + joined(runtimes, ", ") + ". ";
  text +=
      "\nEach call starts clean: nothing is kept from one to the next but what is written into `work`. /tmp and HOME "
      "can "
      "be written and vanish at the end; everything else is read-only. ";
  text += policy.limits.host_network ? "There is no network unless net is \"host\". " : "There is no network. ";
  text += folders.empty() ? "No folder of the host is visible: pass data by `code` or `stdin`. "
                          : "What " + path_arguments() + " name on the host has to lie in: " + folders +
                                (policy.limits.current_folder ? ". Without `ro` the current folder is shown. " : ". ");
  text +=
      "\nA failing, killed or timed-out program is a normal result: read `status`, `exit_code` and `stderr`. Long "
      "output "
      "is cut in the middle; `read_output` gets the rest.";
  return text;
}

Json no_arguments() { return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}}; }

Json read_output_schema() {
  Json properties = Json::object();
  properties["uri"] = {{"type", "string"},
                       {"description", "full_stdout or full_stderr of a result: cocoon://output/ID/stdout"}};
  properties["offset"] = {{"type", "integer"}, {"minimum", 0}, {"description", "First byte to read. Default: 0."}};
  properties["length"] = {{"type", "integer"},
                          {"minimum", 1},
                          {"description", "How many bytes to read. Default, and at most: what one result may show."}};
  properties["encoding"] = {{"type", "string"},
                            {"enum", {"text", "base64"}},
                            {"description", "base64 for bytes that are no text. Default: text."}};
  return {{"type", "object"},
          {"properties", properties},
          {"required", Json::array({"uri"})},
          {"additionalProperties", false}};
}

Json read_output_result() {
  Json properties = Json::object();
  properties["data"] = {{"type", "string"}};
  properties["offset"] = {{"type", "integer"}};
  properties["next_offset"] = {{"type", "integer"}, {"description", "Where to go on; absent at the end."}};
  properties["total_bytes"] = {{"type", "integer"}};
  return {{"type", "object"}, {"properties", properties}};
}

Json info_result() {
  Json properties = Json::object();
  properties["version"] = {{"type", "string"}};
  properties["driver"] = {{"type", "string"}, {"description", "What isolates programs here; absent: nothing can."}};
  properties["runtimes"] = {{"type", "array"},
                            {"items",
                             {{"type", "object"},
                              {"properties",
                               {{"name", {{"type", "string"}}},
                                {"title", {{"type", "string"}}},
                                {"available", {{"type", "boolean"}}},
                                {"version", {{"type", "string"}}},
                                {"why_not", {{"type", "string"}}}}}}}};
  properties["isolation"] = {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  properties["policy"] = {{"type", "object"}, {"description", "What may be asked for here."}};
  return {{"type", "object"}, {"properties", properties}};
}

Json annotations(bool read_only, bool open_world) {
  return {{"readOnlyHint", read_only},
          {"destructiveHint", !read_only},
          {"idempotentHint", read_only},
          {"openWorldHint", open_world}};
}

bool can_change_anything(const OperatorPolicy& policy) {
  for (const AllowedFolder& folder : policy.folders)
    if (folder.writable) return true;
  return false;
}

}  // namespace

mcp::Catalog make_catalog(const OperatorPolicy& policy, const std::vector<std::string>& runtimes) {
  mcp::Catalog catalog;
  catalog.server_name = "cocoon";
  catalog.server_title = "Cocoon sandbox";
  catalog.server_version = COCOON_VERSION;
  catalog.instructions =
      "Cocoon runs untrusted code in throw-away Linux sandboxes. Use run_in_sandbox for anything that you want to "
      "execute; "
      "its description says what programs see. sandbox_info tells which runtimes are installed and what this host's "
      "operator allows. A refusal (status setup_failed) says what to change.";
  // Runs change nothing that outlives them unless a folder may be written or the network reached.
  const bool network = policy.limits.host_network;
  const bool harmless = !can_change_anything(policy) && !network;
  Json run_annotations = annotations(harmless, network);
  run_annotations["idempotentHint"] = false;
  catalog.tools.push_back({"run_in_sandbox",
                           "Run in a sandbox",
                           run_description(policy, runtimes),
                           run_input_schema(runtimes, false),
                           outcome_schema(false),
                           run_annotations,
                           {{"anthropic/maxResultSizeChars", 400'000}}});
  catalog.tools.push_back({"run_pipeline",
                           "Run steps in sandboxes",
                           "Run several steps one after another, each in a fresh sandbox of its own, that share one "
                           "work folder: what a step "
                           "writes there the next one finds. A step is `runtime` with `code` or `file`, or a "
                           "`command`. Stops at the first step "
                           "that fails unless keep_going is set. Everything else is as for run_in_sandbox, and holds "
                           "for every step; the work "
                           "folder vanishes at the end unless `work` names one.",
                           run_input_schema(runtimes, true),
                           outcome_schema(true),
                           run_annotations,
                           {{"anthropic/maxResultSizeChars", 400'000}}});
  catalog.tools.push_back(
      {"read_output", "Read the output of a run",
       "Read a part of what a run printed, by byte range, where its result shows only the beginning "
       "and the end (stdout_truncated, stderr_truncated) or is no text. Outputs are kept for a while.",
       read_output_schema(), read_output_result(), annotations(true, false)});
  catalog.tools.push_back(
      {"sandbox_info", "What the sandbox offers",
       "Tell which runtimes are installed here, how programs are isolated, and which folders, limits "
       "and network the operator allows.",
       no_arguments(), info_result(), annotations(true, false)});
  catalog.resources = {
      {"cocoon://docs/sandbox", "sandbox", "What a program sees inside", "Files, environment, limits, endings",
       "text/markdown"},
      {"cocoon://docs/policy", "policy", "What the operator allows", "Folders, network, ceilings", "text/markdown"},
      {"cocoon://docs/runtimes", "runtimes", "The runtimes of this host", "Names, versions, what is missing",
       "text/markdown"},
  };
  catalog.templates = {
      {"cocoon://docs/runtime/{runtime}", "runtime", "One runtime", "Its version and where it lives", "text/markdown"},
      {"cocoon://output/{id}/{stream}{?offset,length}", "output", "Output of a run",
       "What a run printed, by byte range; results name the address", "text/plain"},
  };
  catalog.completions = true;
  catalog.logging = true;
  return catalog;
}

}  // namespace cocoon::agent
