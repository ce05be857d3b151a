// Documentation for agents, as resources: what a program sees, what the operator allows, which runtimes there are.
#include "agent/agent.hpp"
#include "host/policy_keys.hpp"
#include "plan/text.hpp"

#include <cmath>
#include <variant>

namespace cocoon::agent {
namespace {

void add_arguments(std::string& text, const char* tool, bool of_pipeline) {
  text.append("\n# Arguments of ").append(tool).append("\n\n");
  for (const Field& field : request_fields()) {
    if (!takes_field(of_pipeline, field.name)) continue;
    text.append("- `").append(field.name).append("`: ").append(field.help);
    if (!field.fallback.empty()) text.append(" Default: ").append(field.fallback).append(".");
    text.append("\n");
  }
}

}  // namespace

std::string sandbox_guide() {
  std::string text =
      "# What a program sees inside\n\n"
      "- `/usr`, `/bin`, `/lib` and the runtime's own folders, read-only; a synthetic `/etc/passwd`; its own "
      "processes.\n"
      "- Folders named in `ro`, at their own paths, read-only. Without any, the current folder where the policy allows "
      "it.\n"
      "- `work`: the one host folder that can be written, also as `/work`; it is the working directory.\n"
      "- `copy`: copies of files or folders in the work folder, so that originals stay as they are.\n"
      "- `/tmp` and HOME: private, in memory, gone at the end. Caches of package managers point there.\n"
      "- A loopback network of its own; connecting to anything else fails at once.\n"
      "- Its environment holds PATH, HOME, LANG, TMPDIR and what `env` gives; nothing of the host's.\n\n"
      "# How a run ends\n\n"
      "`status` is one of " +
      joined(status_names(), ", ") +
      ". setup_failed means that nothing was run, and `error` says what to change; planned, that the driver only tells "
      "what it would do. All others are results of the program.\n";
  add_arguments(text, "run_in_sandbox", false);
  add_arguments(text, "run_pipeline", true);
  text.append("\nA step has: ");
  std::vector<std::string_view> of_step;
  for (const Field& field : request_fields())
    if (is_step_field(field.name)) of_step.push_back(field.name);
  return text + joined(of_step, ", ") + ".\n";
}

std::string policy_guide(const OperatorPolicy& policy) {
  std::string text = "# What the operator of this host allows\n\n";
  for (const PolicyKey& key : policy_keys()) {
    if (key.title.empty()) continue;
    text.append("- ").append(key.title).append(": ").append(key.text(policy)).append("\n");
  }
  return text + "\nNothing that a call asks for changes this.\n";
}

std::string runtimes_guide(const Info& info, const OperatorPolicy& policy, const std::string& only) {
  std::string text;
  for (const RuntimeInfo& runtime : info.runtimes) {
    if (!policy.allows_runtime(runtime.name)) continue;
    if (!only.empty() && runtime.name != only) continue;
    text += "- `" + runtime.name + "` (" + runtime.title + "): ";
    if (runtime.interpreter) {
      text += runtime.interpreter->version + " " + runtime.interpreter->executable + "\n";
    } else {
      text += "not available here: " + (runtime.error ? runtime.error->message : "") + "\n";
    }
  }
  return text.empty() ? text : "# Runtimes\n\n" + text;
}

mcp::Json policy_json(const OperatorPolicy& policy) {
  using mcp::Json;
  Json folders = Json::array();
  for (const AllowedFolder& folder : policy.folders)
    folders.push_back({{"path", folder.path}, {"mode", folder.writable ? "rw" : "ro"}});
  Json json = {{"folders", folders}, {"current_folder_shown", policy.limits.current_folder}};
  for (const PolicyKey& key : policy_keys()) {
    if (key.told.empty()) continue;
    Json& value = json[std::string(key.told)];
    std::visit([&value](const auto& known) { value = known; }, key.get(policy));
    // Whole numbers without ".0".
    if (value.is_number_float() && value == std::floor(value.get<double>())) value = value.get<std::uint64_t>();
    if (value.is_array() && value.empty()) json.erase(std::string(key.told));
  }
  return json;
}

}  // namespace cocoon::agent
