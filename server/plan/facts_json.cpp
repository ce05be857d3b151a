// Facts <-> JSON (schema/facts.schema.json).
#include "json_reader.hpp"
#include "lexical.hpp"
#include "plan/facts.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace cocoon {
namespace {

using json::Reader;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> path_kinds{"missing", "denied", "directory", "file", "other"};

bool read_path(Reader& reader, std::string_view key, std::string& out) {
  if (!reader.read(key, out)) return false;
  if (is_plain_path(out)) return true;
  reader.refuse(key, "'" + out + "' is not an absolute path in its shortest form");
  return false;
}

void read_cgroup(Reader& reader, CgroupFact& cgroup) {
  reader.require(reader.read("version", cgroup.version), "version");
  if (cgroup.version < 0 || cgroup.version > 2) reader.refuse("version", "must be 0, 1 or 2");
  reader.read("parent", cgroup.parent);
  if (cgroup.version == 0) {
    cgroup.parent.clear();
  } else if (!is_plain_path(cgroup.parent)) {
    reader.refuse("parent", "'" + cgroup.parent + "' is not an absolute path in its shortest form");
  }
}

void read_driver(Reader& reader, DriverFacts& driver) {
  reader.require(reader.read("name", driver.name), "name");
  reader.read("score", driver.score);
  reader.require(reader.read("usable", driver.usable), "usable");
  reader.read("reason", driver.reason);
  reader.read("hint", driver.hint);
  reader.read("kernel", driver.kernel);
  reader.read("landlock_abi", driver.landlock_abi);
  reader.read("seccomp", driver.seccomp);
  reader.read_object("memory_cgroup", [&](Reader& inner) { read_cgroup(inner, driver.memory_cgroup); });
  reader.read_object("pids_cgroup", [&](Reader& inner) { read_cgroup(inner, driver.pids_cgroup); });
  reader.read_objects("system", [&](Reader& inner) {
    SystemEntry& entry = driver.system.emplace_back();
    inner.require(read_path(inner, "path", entry.path), "path");
    if (entry.path == "/") inner.refuse("path", "must be an entry below /");
    inner.read("kind", entry.kind, path_kinds);
    inner.read("symlink", entry.symlink);
  });
  reader.read_objects("layers", [&](Reader& inner) {
    DriverFacts::Layer& layer = driver.layers.emplace_back();
    inner.require(inner.read("name", layer.name), "name");
    inner.require(inner.read("available", layer.available), "available");
    inner.read("detail", layer.detail);
  });
}

void read_path_fact(Reader& reader, PathFact& fact) {
  reader.require(reader.read("given", fact.given), "given");
  reader.require(reader.read("kind", fact.kind, path_kinds), "kind");
  const bool exists = fact.kind != PathKind::missing && fact.kind != PathKind::denied;
  reader.require(read_path(reader, "absolute", fact.absolute) || !exists, "absolute");
  reader.require(read_path(reader, "real", fact.real) || !exists, "real");
  reader.read("writable", fact.writable);
  reader.read("executable", fact.executable);
}

void read_interpreter(Reader& reader, Interpreter& interpreter) {
  reader.require(read_path(reader, "executable", interpreter.executable), "executable");
  reader.read("version", interpreter.version);
  reader.read("directories", interpreter.directories);
  for (const std::string& directory : interpreter.directories)
    if (!is_plain_path(directory))
      reader.refuse("directories", "'" + directory + "' is not an absolute path in its shortest form");
  reader.read_objects("links", [&](Reader& inner) {
    Interpreter::Link& link = interpreter.links.emplace_back();
    inner.require(read_path(inner, "path", link.path), "path");
    inner.require(read_path(inner, "real", link.real), "real");
  });
}

void read_facts(Reader& reader, Facts& facts) {
  reader.require(reader.read("uid", facts.uid), "uid");
  reader.require(reader.read("gid", facts.gid), "gid");
  reader.require(read_path(reader, "cwd", facts.cwd), "cwd");
  reader.require(reader.read_object("driver", [&](Reader& inner) { read_driver(inner, facts.driver); }), "driver");
  reader.read_objects("paths", [&](Reader& inner) { read_path_fact(inner, facts.paths.emplace_back()); });
  reader.read_object("interpreter", [&](Reader& inner) { read_interpreter(inner, facts.interpreter.emplace()); });
  reader.read("protected_existing", facts.protected_existing);
}

Json write_interpreter(const Interpreter& interpreter) {
  Json json = Json::object();
  json["executable"] = interpreter.executable;
  json["version"] = interpreter.version;
  json["directories"] = interpreter.directories;
  for (const Interpreter::Link& link : interpreter.links)
    json["links"].push_back(Json{{"path", link.path}, {"real", link.real}});
  return json;
}

Json write_cgroup(const CgroupFact& cgroup) {
  Json json = Json::object();
  json["version"] = cgroup.version;
  if (!cgroup.parent.empty()) json["parent"] = cgroup.parent;
  return json;
}

Json write_driver(const DriverFacts& driver) {
  Json json = Json::object();
  json["name"] = driver.name;
  json["score"] = driver.score;
  json["usable"] = driver.usable;
  if (!driver.reason.empty()) json["reason"] = driver.reason;
  if (!driver.hint.empty()) json["hint"] = driver.hint;
  if (!driver.kernel.empty()) json["kernel"] = driver.kernel;
  json["landlock_abi"] = driver.landlock_abi;
  json["seccomp"] = driver.seccomp;
  json["memory_cgroup"] = write_cgroup(driver.memory_cgroup);
  json["pids_cgroup"] = write_cgroup(driver.pids_cgroup);
  Json& system = json["system"] = Json::array();
  for (const SystemEntry& entry : driver.system) {
    Json& item = system.emplace_back(Json::object());
    item["path"] = entry.path;
    item["kind"] = path_kinds[static_cast<std::size_t>(entry.kind)];
    if (!entry.symlink.empty()) item["symlink"] = entry.symlink;
  }
  Json& layers = json["layers"] = Json::array();
  for (const DriverFacts::Layer& layer : driver.layers) {
    Json& item = layers.emplace_back(Json::object());
    item["name"] = layer.name;
    item["available"] = layer.available;
    if (!layer.detail.empty()) item["detail"] = layer.detail;
  }
  return json;
}

Json write_path_fact(const PathFact& fact) {
  Json json = Json::object();
  json["given"] = fact.given;
  json["kind"] = path_kinds[static_cast<std::size_t>(fact.kind)];
  if (!fact.absolute.empty()) json["absolute"] = fact.absolute;
  if (!fact.real.empty()) json["real"] = fact.real;
  if (fact.writable) json["writable"] = true;
  if (fact.executable) json["executable"] = true;
  return json;
}

template <typename Value, typename Body>
Result<Value> read_whole(std::string_view text, std::string_view what, Body body) {
  Value value;
  auto read = json::read_document(text, what, [&](Reader& reader) { body(reader, value); });
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return value;
}

}  // namespace

const PathFact* Facts::path(std::string_view given) const {
  for (const PathFact& fact : paths)
    if (fact.given == given) return &fact;
  return nullptr;
}

Result<DriverFacts> parse_driver_facts(std::string_view text) {
  return read_whole<DriverFacts>(text, "driver", read_driver);
}

Result<Interpreter> parse_interpreter(std::string_view text) {
  return read_whole<Interpreter>(text, "interpreter", read_interpreter);
}

Result<Facts> parse_facts(std::string_view text) { return read_whole<Facts>(text, "facts", read_facts); }

std::string to_json(const Facts& facts, int indent) {
  Json json = Json::object();
  json["uid"] = facts.uid;
  json["gid"] = facts.gid;
  json["cwd"] = facts.cwd;
  json["driver"] = write_driver(facts.driver);
  Json& paths = json["paths"] = Json::array();
  for (const PathFact& fact : facts.paths) paths.push_back(write_path_fact(fact));
  if (facts.interpreter) {
    json["interpreter"] = write_interpreter(*facts.interpreter);
  }
  if (!facts.protected_existing.empty()) json["protected_existing"] = facts.protected_existing;
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const Interpreter& interpreter, int indent) {
  return write_interpreter(interpreter).dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cocoon
