// Facts <-> JSON (schema/facts.schema.json).
#include "json_reader.hpp"
#include "plan/facts.hpp"

#include <cocoon/json_writer.hpp>
#include <cocoon/lexical.hpp>

#include <array>

namespace cocoon {
namespace {

using json::Reader;
using json::Writer;

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
  reader.read("env", interpreter.env);
  for (const auto& [name, value] : interpreter.env)
    if (name.empty() || name.find('=') != std::string::npos)
      reader.refuse("env", "'" + name + "' is not the name of a variable");
}

void read_facts(Reader& reader, Facts& facts) {
  reader.require(reader.read("uid", facts.uid), "uid");
  reader.require(reader.read("gid", facts.gid), "gid");
  reader.require(read_path(reader, "cwd", facts.cwd), "cwd");
  read_path(reader, "home", facts.home);
  reader.require(reader.read_object("driver", [&](Reader& inner) { read_driver(inner, facts.driver); }), "driver");
  reader.read_objects("paths", [&](Reader& inner) { read_path_fact(inner, facts.paths.emplace_back()); });
  reader.read_object("interpreter", [&](Reader& inner) { read_interpreter(inner, facts.interpreter.emplace()); });
  reader.read_objects("interpreters", [&](Reader& inner) {
    auto& [preset, interpreter] = facts.interpreters.emplace_back();
    inner.require(inner.read("runtime", preset), "runtime");
    read_interpreter(inner, interpreter);
  });
  reader.read("protected_existing", facts.protected_existing);
  reader.read("protected_links", facts.protected_links);
  reader.read("protected_targets", facts.protected_targets);
  reader.read("protected_missing", facts.protected_missing);
  reader.read("repositories", facts.repositories);
}

std::string_view to_string(PathKind kind) { return path_kinds[static_cast<std::size_t>(kind)]; }

void write_cgroup(Writer& writer, std::string_view key, const CgroupFact& cgroup) {
  writer.key(key);
  writer.begin_object();
  writer.put("version", cgroup.version);
  writer.put_some("parent", cgroup.parent);
  writer.end_object();
}

void write_driver(Writer& writer, const DriverFacts& driver) {
  writer.begin_object();
  writer.put("name", driver.name);
  writer.put("score", driver.score);
  writer.put("usable", driver.usable);
  writer.put_some("reason", driver.reason);
  writer.put_some("hint", driver.hint);
  writer.put_some("kernel", driver.kernel);
  writer.put("landlock_abi", driver.landlock_abi);
  writer.put("seccomp", driver.seccomp);
  write_cgroup(writer, "memory_cgroup", driver.memory_cgroup);
  write_cgroup(writer, "pids_cgroup", driver.pids_cgroup);
  writer.key("system");
  writer.begin_list();
  for (const SystemEntry& entry : driver.system) {
    writer.begin_object();
    writer.put("path", entry.path);
    writer.put("kind", to_string(entry.kind));
    writer.put_some("symlink", entry.symlink);
    writer.end_object();
  }
  writer.end_list();
  writer.key("layers");
  writer.begin_list();
  for (const DriverFacts::Layer& layer : driver.layers) {
    writer.begin_object();
    writer.put("name", layer.name);
    writer.put("available", layer.available);
    writer.put_some("detail", layer.detail);
    writer.end_object();
  }
  writer.end_list();
  writer.end_object();
}

void write_path_fact(Writer& writer, const PathFact& fact) {
  writer.begin_object();
  writer.put("given", fact.given);
  writer.put("kind", to_string(fact.kind));
  writer.put_some("absolute", fact.absolute);
  writer.put_some("real", fact.real);
  writer.put_some("writable", fact.writable);
  writer.put_some("executable", fact.executable);
  writer.end_object();
}

// runtime: whose it is, where there are several; empty otherwise.
void write_interpreter(Writer& writer, const Interpreter& interpreter, const std::string& runtime = {}) {
  writer.begin_object();
  writer.put_some("runtime", runtime);
  writer.put("executable", interpreter.executable);
  writer.put("version", interpreter.version);
  writer.put("directories", interpreter.directories);
  if (!interpreter.links.empty()) {
    writer.key("links");
    writer.begin_list();
    for (const Interpreter::Link& link : interpreter.links) {
      writer.begin_object();
      writer.put("path", link.path);
      writer.put("real", link.real);
      writer.end_object();
    }
    writer.end_list();
  }
  if (!interpreter.env.empty()) {
    writer.key("env");
    writer.pairs(interpreter.env);
  }
  writer.end_object();
}

template <typename Value, typename Body>
Result<Value> read_whole(std::string_view text, std::string_view what, Body body) {
  Value value;
  const auto fill = [&](Reader& reader) { body(reader, value); };
  auto read = json::read_document(text, what, fill, json::UnknownKeys::ignored);
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
  Writer writer(indent);
  writer.begin_object();
  writer.put("uid", facts.uid);
  writer.put("gid", facts.gid);
  writer.put("cwd", facts.cwd);
  writer.put_some("home", facts.home);
  writer.key("driver");
  write_driver(writer, facts.driver);
  writer.key("paths");
  writer.begin_list();
  for (const PathFact& fact : facts.paths) write_path_fact(writer, fact);
  writer.end_list();
  if (facts.interpreter) {
    writer.key("interpreter");
    write_interpreter(writer, *facts.interpreter);
  }
  if (!facts.interpreters.empty()) {
    writer.key("interpreters");
    writer.begin_list();
    for (const auto& [runtime, interpreter] : facts.interpreters) write_interpreter(writer, interpreter, runtime);
    writer.end_list();
  }
  writer.put_some("protected_existing", facts.protected_existing);
  writer.put_some("protected_links", facts.protected_links);
  writer.put_some("protected_targets", facts.protected_targets);
  writer.put_some("protected_missing", facts.protected_missing);
  writer.put_some("repositories", facts.repositories);
  writer.end_object();
  return writer.take();
}

std::string to_json(const Interpreter& interpreter, int indent) {
  Writer writer(indent);
  write_interpreter(writer, interpreter);
  return writer.take();
}

}  // namespace cocoon
