// Plan <-> JSON (schema/plan.schema.json). Defaults are left out in writing and come back in reading.
#include "json_reader.hpp"

#include <cocoon/json_writer.hpp>
#include <cocoon/lexical.hpp>
#include <cocoon/plan.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

using json::Reader;
using json::Writer;

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
  reader.read("shared", mount.shared);
  if (mount.shared && mount.kind != MountKind::tmpfs) reader.refuse("shared", "is for tmpfs alone");
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
  reader.read("create_folders", stage.create_folders);
  for (const std::string& path : stage.create_folders)
    if (!is_plain_path(path))
      reader.refuse("create_folders", "'" + path + "' is not an absolute path in its shortest form");
  for (const auto& [key, paths] :
       {std::pair("protected_paths", &stage.protected_paths), std::pair("protected_kept", &stage.protected_kept)}) {
    reader.read(key, *paths);
    for (const std::string& path : *paths)
      if (path.empty() || !is_plain_path("/" + path))
        reader.refuse(key, "'" + path + "' does not lie in the workspace");
  }
  reader.read("no_new_privs", stage.no_new_privs);
  reader.read("drop_capabilities", stage.drop_capabilities);
  reader.read("landlock_abi", stage.landlock_abi);
  read_paths(reader, "landlock_writable", stage.landlock_writable);
  reader.read("seccomp", stage.seccomp);
  reader.read_object("limits", [&](Reader& inner) { read_limits(inner, stage.limits); });
}

void write_identity(Writer& writer, const Identity& identity) {
  writer.begin_object();
  writer.put("uid_inside", identity.uid_inside);
  writer.put("gid_inside", identity.gid_inside);
  writer.put("uid_outside", identity.uid_outside);
  writer.put("gid_outside", identity.gid_outside);
  writer.end_object();
}

void write_root(Writer& writer, const Root& root) {
  writer.begin_object();
  writer.put_some("rootfs", root.rootfs);
  writer.put_some("writable", root.writable);
  writer.end_object();
}

void write_mount(Writer& writer, const Mount& mount) {
  const Mount fallback;
  writer.begin_object();
  writer.put("kind", to_string(mount.kind));
  writer.put("target", mount.target);
  writer.put_some("source", mount.source);
  writer.put_some("content", mount.content);
  writer.put_some("writable", mount.writable);
  writer.put_some("device", mount.device);
  writer.put_some("optional", mount.optional);
  writer.put_unless(fallback.mode, "mode", mount.mode);
  writer.put_some("size_kib", mount.size_kib);
  writer.put_some("inodes", mount.inodes);
  writer.put_some("shared", mount.shared);
  writer.end_object();
}

void write_copy(Writer& writer, const Copy& copy) {
  writer.begin_object();
  writer.put("source", copy.source);
  writer.put("name", copy.name);
  writer.end_object();
}

void write_limits(Writer& writer, const Limits& limits) {
  writer.begin_object();
  writer.put("timeout_ms", limits.timeout_ms);
  writer.put_some("memory_kib", limits.memory_kib);
  if (limits.memory_by != Enforcer::none) writer.put("memory_by", to_string(limits.memory_by));
  writer.put_some("memory_cgroup", limits.memory_cgroup);
  writer.put_some("memory_rlimit", limits.memory_rlimit);
  writer.put_some("pids", limits.pids);
  if (limits.pids_by != Enforcer::none) writer.put("pids_by", to_string(limits.pids_by));
  writer.put_some("pids_cgroup", limits.pids_cgroup);
  writer.put_some("cpu_ms", limits.cpu_ms);
  writer.put_some("file_kib", limits.file_kib);
  writer.put_some("open_files", limits.open_files);
  writer.put_some("output_bytes", limits.output_bytes);
  writer.end_object();
}

template <typename T>
void write_list(Writer& writer, std::string_view key, const std::vector<T>& items, void (*write)(Writer&, const T&)) {
  if (items.empty()) return;
  writer.key(key);
  writer.begin_list();
  for (const T& item : items) write(writer, item);
  writer.end_list();
}

// What isolates the guest is always written out, so that a plan can be reviewed without knowing the defaults.
void write_stage(Writer& writer, const Stage& stage) {
  writer.begin_object();
  writer.put_some("name", stage.name);
  writer.put_some("executable", stage.executable);
  writer.put("argv", stage.argv);
  if (!stage.env.empty()) {
    writer.key("env");
    writer.pairs(stage.env);
  }
  writer.put("cwd", stage.cwd);
  writer.put_some("stdin_open", stage.stdin_open);
  writer.put_unless(true, "init", stage.init);
  writer.put("namespaces", stage.namespaces);
  writer.key("identity");
  write_identity(writer, stage.identity);
  writer.put_some("hostname", stage.hostname);
  writer.put("network", to_string(stage.network));
  if (!stage.root.rootfs.empty() || stage.root.writable) {
    writer.key("root");
    write_root(writer, stage.root);
  }
  write_list(writer, "mounts", stage.mounts, write_mount);
  writer.put_some("workspace", stage.workspace);
  write_list(writer, "copies", stage.copies, write_copy);
  writer.put_some("create_folders", stage.create_folders);
  writer.put_some("protected_paths", stage.protected_paths);
  writer.put_some("protected_kept", stage.protected_kept);
  writer.put("no_new_privs", stage.no_new_privs);
  writer.put("drop_capabilities", stage.drop_capabilities);
  writer.put_some("landlock_abi", stage.landlock_abi);
  writer.put_some("landlock_writable", stage.landlock_writable);
  writer.put_some("seccomp", stage.seccomp);
  writer.key("limits");
  write_limits(writer, stage.limits);
  writer.end_object();
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
    reader.read("timeout_ms", plan.timeout_ms);
    reader.read("keep_going", plan.keep_going);
  });
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return plan;
}

std::string to_json(const Plan& plan, int indent) {
  Writer writer(indent);
  writer.begin_object();
  writer.put("version", plan.version);
  writer.put("driver", plan.driver);
  writer.put_some("require", plan.require);
  write_list(writer, "stages", plan.stages, write_stage);
  writer.put_some("timeout_ms", plan.timeout_ms);
  writer.put_some("keep_going", plan.keep_going);
  writer.end_object();
  return writer.take();
}

}  // namespace cocoon
