// The guest's environment and command line, made from nothing.
#include "plan/environment.hpp"

#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>

namespace cocoon {
namespace {

constexpr std::string_view search_path = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

using Env = std::vector<std::pair<std::string, std::string>>;

// A later value replaces an earlier one of the same name: two of a name mean different things to different programs.
void set(Env& env, std::string_view name, std::string value) {
  for (auto& [known, old] : env) {
    if (known != name) continue;
    old = std::move(value);
    return;
  }
  env.emplace_back(std::string(name), std::move(value));
}

struct Placeholder {
  std::string_view name;
  std::string_view value;
};

// One pass from left to right: what a value brings in, code above all, is not looked at again.
std::string expand(std::string_view text, const std::vector<Placeholder>& placeholders) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    result += text.substr(0, open);
    text.remove_prefix(open);
    const auto found = std::find_if(placeholders.begin(), placeholders.end(),
                                    [&](const Placeholder& each) { return text.starts_with(each.name); });
    if (found != placeholders.end()) {
      result += found->value;
      text.remove_prefix(found->name.size());
    } else if (!text.empty()) {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string path_with(std::string_view executable) {
  const std::string folder(parent_of(executable));
  const auto known = split(search_path, ':');
  if (contains(known, folder)) return std::string(search_path);
  return folder + ":" + std::string(search_path);
}

Env base_env(const Request& request, const Interpreter* interpreter, const Settings& settings, const View& view) {
  Env env;
  set(env, "PATH", interpreter != nullptr ? path_with(interpreter->executable) : std::string(search_path));
  set(env, "HOME", view.home);
  if (request.rootfs.empty()) {
    set(env, "LANG", "C.UTF-8");
    for (const std::string_view name : {"TMPDIR", "TMP", "TEMP"}) set(env, name, view.scratch);
    set(env, "USER", "cocoon");
    set(env, "LOGNAME", "cocoon");
    set(env, "SHELL", "/bin/sh");
    // Package managers that would try for a minute what can't be had, and then say that the time is over.
    if (settings.net == Network::none)
      for (const std::string_view name : {"npm_config_fetch_retries", "PIP_RETRIES"}) set(env, name, "0");
  }
  set(env, "TERM", "dumb");
  return env;
}

}  // namespace

void set_command(const Request& request, const Preset* preset, const Interpreter* interpreter, const Settings& settings,
                 const View& view, Stage& stage) {
  stage.env = base_env(request, interpreter, settings, view);
  if (preset == nullptr) {
    stage.name = std::string(base_name_of(request.command.front()));
    stage.argv = request.command;
  } else {
    const std::uint64_t heap_kib = settings.memory_kib * preset->heap_percent / 100;
    const std::string heap_mib = std::to_string(std::max<std::uint64_t>(heap_kib / 1024, 1));
    const std::string heap_bytes = std::to_string(heap_kib * 1024);
    const std::vector<Placeholder> placeholders{{"{exe}", interpreter->executable},
                                                {"{code}", request.code ? std::string_view(*request.code) : ""},
                                                {"{file}", view.file},
                                                {"{scratch}", view.scratch},
                                                {"{home}", view.home},
                                                {"{heap_mib}", heap_mib},
                                                {"{heap_bytes}", heap_bytes}};
    const bool inline_code = request.code && !needs_snippet_file(request, *preset);
    for (const std::string& word : inline_code ? preset->snippet : preset->script)
      stage.argv.push_back(expand(word, placeholders));
    stage.argv.insert(stage.argv.end(), request.args.begin(), request.args.end());
    for (const auto& [name, value] : interpreter->env) set(stage.env, name, value);
    for (const auto& [name, value] : preset->env) set(stage.env, name, expand(value, placeholders));
    stage.name = preset->name;
    if (is_plain_path(stage.argv.front())) stage.executable = stage.argv.front();
  }
  for (const auto& [name, value] : request.env) set(stage.env, name, value);
}

}  // namespace cocoon
