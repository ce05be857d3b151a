// Plan <-> JSON (schema/plan.schema.json). Defaults are left out in writing and come back in reading.
#include "json_reader.hpp"
#include "lexical.hpp"

#include <cocoon/plan.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

using json::Reader;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 9> mount_kinds{"directory", "symlink", "file", "bind",      "tmpfs",
                                                      "proc",      "devpts",  "mask", "remount_ro"};
constexpr std::array<std::string_view, 2> networks{"none", "host"};
constexpr std::array<std::string_view, 5> enforcers{"none", "cgroup2", "cgroup1", "supervisor", "rlimit"};
constexpr std::array<std::string_view, 7> namespace_names{"user", "mount", "pid", "net", "ipc", "uts", "cgroup"};

bool read_path(Reader& reader, std::string_view key, std::string& out) {
  if (!reader.read(key, out)) return false;
  if (is_plain_path(out)) return true;
  reader.refuse(key, "'" + out + "' is not an absolute path in its shortest form");
  return false;
}

void read_paths(Reader& reader, std::string_view key, std::vector<std::string>& out) {
  if (!reader.read(key, out)) return;
  for (const std::string& path : out)
    if (!is_plain_path(path)) reader.refuse(key, "'" + path + "' is not an absolute path in its shortest form");
}

void read_identity(Reader& reader, Identity& identity) {
  reader.read("uid_inside", identity.uid_inside);
  reader.read("gid_inside", identity.gid_inside);
  reader.read("uid_outside", identity.uid_outside);
  reader.read("gid_outside", identity.gid_outside);
}

void read_mount(Reader& reader, Mount& mount) {
  reader.require(reader.read("kind", mount.kind, mount_kinds), "kind");
  reader.require(read_path(reader, "target", mount.target), "target");
  const bool has_source =
      mount.kind == MountKind::bind ? read_path(reader, "source", mount.source) : reader.read("source", mount.source);
  if (mount.kind == MountKind::bind || mount.kind == MountKind::symlink) reader.require(has_source, "source");
  reader.read_bytes("content", mount.content);
  reader.read("writable", mount.writable);
  reader.read("device", mount.device);
  reader.read("optional", mount.optional);
  reader.read("mode", mount.mode);
  if (mount.mode > 07777) reader.refuse("mode", "must be at most 4095 (octal 7777)");
  reader.read("size_kib", mount.size_kib);
  reader.read("inodes", mount.inodes);
}

void read_copy(Reader& reader, Copy& copy) {
  reader.require(read_path(reader, "source", copy.source), "source");
  reader.require(reader.read("name", copy.name), "name");
  if (!is_base_name(copy.name)) reader.refuse("name", "must be the name of an entry of the work folder");
}

void read_limits(Reader& reader, Limits& limits) {
  reader.read("timeout_ms", limits.timeout_ms);
  if (limits.timeout_ms == 0) reader.refuse("timeout_ms", "must not be 0");
  reader.read("memory_kib", limits.memory_kib);
  reader.read("memory_by", limits.memory_by, enforcers);
  reader.read("memory_cgroup", limits.memory_cgroup);
  reader.read("memory_rlimit", limits.memory_rlimit);
  reader.read("pids", limits.pids);
  reader.read("pids_by", limits.pids_by, enforcers);
  reader.read("pids_cgroup", limits.pids_cgroup);
  reader.read("cpu_ms", limits.cpu_ms);
  reader.read("file_kib", limits.file_kib);
  reader.read("open_files", limits.open_files);
  reader.read("output_bytes", limits.output_bytes);
}

void read_stage(Reader& reader, Stage& stage) {
  reader.read("name", stage.name);
  read_path(reader, "executable", stage.executable);
  reader.require(reader.read("argv", stage.argv), "argv");
  if (stage.argv.empty()) reader.refuse("argv", "must not be empty");
  reader.read("env", stage.env);
  for (const auto& [name, value] : stage.env)
    if (name.empty() || name.find('=') != std::string::npos)
      reader.refuse("env", "'" + name + "' is not the name of an environment variable");
  reader.require(read_path(reader, "cwd", stage.cwd), "cwd");
  reader.read("stdin_open", stage.stdin_open);
  reader.read("init", stage.init);
  reader.read("namespaces", stage.namespaces);
  for (const std::string& name : stage.namespaces)
    if (std::find(namespace_names.begin(), namespace_names.end(), name) == namespace_names.end())
      reader.refuse("namespaces", "'" + name + "' is not a namespace",
                    "one of: user, mount, pid, net, ipc, uts, cgroup");
  reader.read_object("identity", [&](Reader& inner) { read_identity(inner, stage.identity); });
  reader.read("hostname", stage.hostname);
  reader.read("network", stage.network, networks);
  reader.read_object("root", [&](Reader& inner) {
    read_path(inner, "rootfs", stage.root.rootfs);
    inner.read("writable", stage.root.writable);
  });
  reader.read_objects("mounts", [&](Reader& inner) { read_mount(inner, stage.mounts.emplace_back()); });
  read_path(reader, "workspace", stage.workspace);
  reader.read_objects("copies", [&](Reader& inner) { read_copy(inner, stage.copies.emplace_back()); });
  if (!stage.copies.empty() && stage.workspace.empty()) reader.refuse("copies", "need a workspace");
  reader.read("protected_paths", stage.protected_paths);
  for (const std::string& path : stage.protected_paths)
    if (path.empty() || !is_plain_path("/" + path)) reader.refuse("protected_paths", "'" + path + "' does not lie in the workspace");
  reader.read("no_new_privs", stage.no_new_privs);
  reader.read("drop_capabilities", stage.drop_capabilities);
  reader.read("landlock_abi", stage.landlock_abi);
  read_paths(reader, "landlock_writable", stage.landlock_writable);
  reader.read("seccomp", stage.seccomp);
  reader.read_object("limits", [&](Reader& inner) { read_limits(inner, stage.limits); });
}

// Adds what differs from the default: most fields of most steps do not, and a plan is read by people too.
template <typename T>
void put(Json& json, const char* key, const T& value, const T& fallback = {}) {
  if (!(value == fallback)) json[key] = value;
}

Json write_identity(const Identity& identity) {
  Json json = Json::object();
  json["uid_inside"] = identity.uid_inside;
  json["gid_inside"] = identity.gid_inside;
  json["uid_outside"] = identity.uid_outside;
  json["gid_outside"] = identity.gid_outside;
  return json;
}

Json write_mount(const Mount& mount) {
  const Mount fallback;
  Json json = Json::object();
  json["kind"] = to_string(mount.kind);
  json["target"] = mount.target;
  put(json, "source", mount.source);
  put(json, "content", mount.content);
  put(json, "writable", mount.writable);
  put(json, "device", mount.device);
  put(json, "optional", mount.optional);
  put(json, "mode", mount.mode, fallback.mode);
  put(json, "size_kib", mount.size_kib);
  put(json, "inodes", mount.inodes);
  return json;
}

Json write_limits(const Limits& limits) {
  Json json = Json::object();
  json["timeout_ms"] = limits.timeout_ms;
  put(json, "memory_kib", limits.memory_kib);
  if (limits.memory_by != Enforcer::none) json["memory_by"] = to_string(limits.memory_by);
  put(json, "memory_cgroup", limits.memory_cgroup);
  put(json, "memory_rlimit", limits.memory_rlimit);
  put(json, "pids", limits.pids);
  if (limits.pids_by != Enforcer::none) json["pids_by"] = to_string(limits.pids_by);
  put(json, "pids_cgroup", limits.pids_cgroup);
  put(json, "cpu_ms", limits.cpu_ms);
  put(json, "file_kib", limits.file_kib);
  put(json, "open_files", limits.open_files);
  put(json, "output_bytes", limits.output_bytes);
  return json;
}

// What isolates the guest is always written out, so that a plan can be reviewed without knowing the defaults.
Json write_stage(const Stage& stage) {
  Json json = Json::object();
  put(json, "name", stage.name);
  put(json, "executable", stage.executable);
  json["argv"] = stage.argv;
  if (!stage.env.empty()) {
    Json& env = json["env"] = Json::object();
    for (const auto& [name, value] : stage.env) env[name] = value;
  }
  json["cwd"] = stage.cwd;
  put(json, "stdin_open", stage.stdin_open);
  put(json, "init", stage.init, true);
  json["namespaces"] = stage.namespaces;
  json["identity"] = write_identity(stage.identity);
  put(json, "hostname", stage.hostname);
  json["network"] = to_string(stage.network);
  if (!stage.root.rootfs.empty() || stage.root.writable) {
    Json& root = json["root"] = Json::object();
    put(root, "rootfs", stage.root.rootfs);
    put(root, "writable", stage.root.writable);
  }
  if (!stage.mounts.empty()) {
    Json& mounts = json["mounts"] = Json::array();
    for (const Mount& mount : stage.mounts) mounts.push_back(write_mount(mount));
  }
  put(json, "workspace", stage.workspace);
  if (!stage.copies.empty()) {
    Json& copies = json["copies"] = Json::array();
    for (const Copy& copy : stage.copies) copies.push_back(Json{{"source", copy.source}, {"name", copy.name}});
  }
  put(json, "protected_paths", stage.protected_paths);
  json["no_new_privs"] = stage.no_new_privs;
  json["drop_capabilities"] = stage.drop_capabilities;
  put(json, "landlock_abi", stage.landlock_abi);
  put(json, "landlock_writable", stage.landlock_writable);
  put(json, "seccomp", stage.seccomp);
  json["limits"] = write_limits(stage.limits);
  return json;
}

}  // namespace

std::string_view to_string(MountKind kind) { return mount_kinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Network network) { return networks[static_cast<std::size_t>(network)]; }
std::string_view to_string(Enforcer enforcer) { return enforcers[static_cast<std::size_t>(enforcer)]; }

Result<Plan> parse_plan(std::string_view text) {
  Plan plan;
  auto read = json::read_document(text, "plan", [&](Reader& reader) {
    reader.require(reader.read("version", plan.version), "version");
    if (plan.version != 1)
      reader.refuse("version", "is " + std::to_string(plan.version) + ", and this program knows version 1 only");
    reader.require(reader.read("driver", plan.driver), "driver");
    reader.read("require", plan.require);
    reader.require(reader.read_objects("stages", [&](Reader& inner) { read_stage(inner, plan.stages.emplace_back()); }),
                   "stages");
    if (plan.stages.empty()) reader.refuse("stages", "must not be empty");
  });
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return plan;
}

std::string to_json(const Plan& plan, int indent) {
  Json json = Json::object();
  json["version"] = plan.version;
  json["driver"] = plan.driver;
  put(json, "require", plan.require);
  Json& stages = json["stages"] = Json::array();
  for (const Stage& stage : plan.stages) stages.push_back(write_stage(stage));
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cocoon
