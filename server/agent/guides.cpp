// Documentation for agents, as resources: what a program sees, what the operator allows, which runtimes there are.
#include "agent/agent.hpp"

#include <algorithm>

namespace cocoon::agent {
namespace {

std::string mib(std::uint64_t kib) { return kib == 0 ? "none" : std::to_string(kib / 1024) + " MiB"; }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "all" : text;
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
      "`status` is one of exited, signaled, timed_out, oom_killed, pids_limit, output_limit, disk_limit, cpu_limit, "
      "cancelled, setup_failed. All but the last are results of the program; setup_failed means that nothing was run, "
      "and "
      "`error` says what to change.\n\n"
      "# Arguments of run_in_sandbox\n\n";
  for (const Field& field : request_fields()) {
    text.append("- `").append(field.name).append("`: ").append(field.help);
    if (!field.fallback.empty()) text.append(" Default: ").append(field.fallback).append(".");
    text.append("\n");
  }
  return text;
}

std::string policy_guide(const OperatorPolicy& policy) {
  const std::string folders = allowed_folders_text(policy);
  const Policy& limits = policy.limits;
  return "# What the operator of this host allows\n\n- Folders: " + (folders.empty() ? "none" : folders) +
         "\n- Network: " + (limits.host_network ? "none, or host where asked for" : "none") +
         "\n- Commands: " + (policy.commands ? "yes" : "no, runtimes only") +
         "\n- Runtimes: " + joined(policy.runtimes) + "\n- Drivers: " + joined(policy.drivers) + "\n- Time: at most " +
         std::to_string(limits.max_timeout_ms / 1000) + " s\n- Memory: at most " + mib(limits.max_memory_kib) +
         "\n- Processes: at most " + std::to_string(limits.max_pids) + "\n- Scratch: at most " +
         mib(limits.max_disk_kib) + "\n- Output: at most " + mib(limits.max_output_bytes / 1024) +
         "\n- Runs at once: " + std::to_string(policy.concurrent_runs) + ", and " + std::to_string(policy.queued_runs) +
         " waiting\n\nNothing that a call asks for changes this.\n";
}

std::string runtimes_guide(const Info& info, const OperatorPolicy& policy, const std::string& only) {
  std::string text;
  for (const RuntimeInfo& runtime : info.runtimes) {
    const auto& allowed = policy.runtimes;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), runtime.name) == allowed.end()) continue;
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
  const Policy& limits = policy.limits;
  Json json = {{"folders", folders},
               {"current_folder_shown", limits.current_folder},
               {"network", limits.host_network ? "host where asked for" : "none"},
               {"commands", policy.commands},
               {"max_timeout_s", static_cast<double>(limits.max_timeout_ms) / 1000},
               {"max_memory_mib", limits.max_memory_kib / 1024},
               {"max_pids", limits.max_pids},
               {"max_disk_mib", limits.max_disk_kib / 1024},
               {"max_output_mib", limits.max_output_bytes >> 20U},
               {"concurrent_runs", policy.concurrent_runs},
               {"queued_runs", policy.queued_runs}};
  if (!policy.runtimes.empty()) json["runtimes"] = policy.runtimes;
  if (!policy.drivers.empty()) json["drivers"] = policy.drivers;
  if (!policy.require.empty()) json["require"] = policy.require;
  return json;
}

}  // namespace cocoon::agent
