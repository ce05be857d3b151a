// Preset JSON -> Preset (schema/preset.schema.json).
#include "plan/preset.hpp"

#include "json_reader.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

using json::Reader;

constexpr std::array<std::string_view, 7> placeholders{"exe",  "code",     "file",      "scratch",
                                                       "home", "heap_mib", "heap_bytes"};

// A name, and C++ is one too.
bool is_alias(std::string_view name) {
  const std::size_t end = name.find_last_not_of('+');
  return end != std::string_view::npos && is_plugin_name(name.substr(0, end + 1));
}

// ~/PATH or $VARIABLE/PATH.
bool is_located(std::string_view file) {
  const std::size_t slash = file.find('/');
  if (slash == std::string_view::npos || slash + 1 == file.size()) return false;
  return file.substr(0, slash) == "~" || (slash > 1 && file.front() == '$');
}

// The first {word} that is not a placeholder: a misspelt one would reach the interpreter as it stands.
std::string_view unknown_placeholder(std::string_view text) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", open + 1);
    if (close == std::string_view::npos || text[close] != '}' || close == open + 1) continue;
    const std::string_view word = text.substr(open + 1, close - open - 1);
    if (!contains(placeholders, word)) return word;
  }
  return {};
}

bool uses(const std::vector<std::string>& argv, std::string_view placeholder) {
  return std::any_of(argv.begin(), argv.end(),
                     [&](const std::string& word) { return word.find(placeholder) != std::string::npos; });
}

void check_placeholders(Reader& reader, std::string_view key, std::string_view text) {
  if (const std::string_view word = unknown_placeholder(text); !word.empty())
    reader.refuse(key, "{" + std::string(word) + "} is not a placeholder",
                  "one of: {exe} {code} {file} {scratch} {home} {heap_mib} {heap_bytes}");
}

void read_start(Reader& reader, Preset& preset) {
  if (reader.read("snippet", preset.snippet) && !uses(preset.snippet, "{code}"))
    reader.refuse("snippet", "must hold {code}, or the code would not run");
  reader.require(reader.read("script", preset.script), "script");
  if (!uses(preset.script, "{file}")) reader.refuse("script", "must hold {file}, or the file would not run");
  if (uses(preset.script, "{code}")) reader.refuse("script", "has a {file}, and no {code}");
  for (const std::string& word : preset.snippet) check_placeholders(reader, "snippet", word);
  for (const std::string& word : preset.script) check_placeholders(reader, "script", word);
  reader.require(reader.read("snippet_file", preset.snippet_file), "snippet_file");
  if (!is_base_name(preset.snippet_file)) reader.refuse("snippet_file", "must be the name of a file, without a folder");
  reader.read("snippet_start", preset.snippet_start);
}

void read_memory(Reader& reader, Preset& preset) {
  reader.read("memory_rlimit", preset.memory_rlimit);
  if (reader.read("heap_percent", preset.heap_percent) && (preset.heap_percent < 1 || preset.heap_percent > 100))
    reader.refuse("heap_percent", "must be from 1 to 100");
  reader.read("least_memory_mib", preset.least_memory_mib);
}

void read_search(Reader& reader, Preset& preset) {
  reader.require(reader.read("find", preset.find), "find");
  if (preset.find.empty()) reader.refuse("find", "must not be empty");
  for (const std::string& program : preset.find)
    if (!is_base_name(program))
      reader.refuse("find", quoted(program) + " is not the name of a program, without a folder");
  reader.read("discover", preset.discover);
  reader.read("discover_env", preset.discover_env);
  reader.read("discover_files", preset.discover_files);
  for (const std::string& file : preset.discover_files)
    if (!is_base_name(file) && !is_located(file))
      reader.refuse("discover_files", quoted(file) + " is not the name of a file", "NAME, ~/PATH or $VARIABLE/PATH");
  reader.read("prefix", preset.prefix);
  reader.read("needs", preset.needs);
  for (const std::string& path : preset.needs)
    if (path == "/" || !is_plain_path(path))
      reader.refuse("needs", quoted(path) + " is not an absolute path in its shortest form");
  reader.read("version", preset.version);
}

void read_preset(Reader& reader, Preset& preset) {
  reader.require(reader.read("name", preset.name), "name");
  if (!is_plugin_name(preset.name)) reader.refuse("name", "must be lower-case letters, digits and '-', a letter first");
  reader.read("title", preset.title);
  reader.read("aliases", preset.aliases);
  for (const std::string& alias : preset.aliases)
    if (!is_alias(alias)) reader.refuse("aliases", quoted(alias) + " is not a name like the preset's own");
  read_search(reader, preset);
  read_start(reader, preset);
  reader.read("env", preset.env);
  for (const auto& [name, value] : preset.env) {
    if (name.empty() || name.find('=') != std::string::npos)
      reader.refuse("env", quoted(name) + " is not the name of a variable");
    check_placeholders(reader, "env", value);
  }
  read_memory(reader, preset);
  reader.read("install", preset.install);
}

}  // namespace

Result<Preset> parse_preset(std::string_view text) {
  Preset preset;
  const auto body = [&](Reader& reader) { read_preset(reader, preset); };
  auto read = json::read_document(text, "preset", body, json::UnknownKeys::ignored);
  if (!read) return Unexpected<Error>{std::move(read.error())};
  return preset;
}

}  // namespace cocoon
