// From words to a Request: which of the ways to say what to run was used.
#include "cli/invocation.hpp"

#include "cli/steps.hpp"
#include "host/os/paths.hpp"
#include "plan/text.hpp"

#include <algorithm>
#include <array>

namespace cocoon::cli {
namespace {

constexpr std::size_t kMaxConfBytes = 1024 * 1024;

// Not an option that every bundle refuses.
bool fits_bundle(const Field& field) {
  constexpr std::array<std::string_view, 7> host_only{"runtime", "code",           "ro", "work", "copy",
                                                      "temp",    "allow_protected"};
  return !contains(host_only, field.name);
}

std::string help_of(const Field& field) {
  std::string help(field.help);
  if (!field.choices.empty() && field.type == FieldType::choice)
    help.append(" One of ").append(field.choices).append(".");
  if (!field.fallback.empty()) help.append(" Default: ").append(field.fallback).append(".");
  return help;
}

}  // namespace

InvocationReader::InvocationReader(std::string_view command, Takes takes, std::string json_help)
    : command_(command), takes_(takes) {
  if (takes == Takes::pipeline || takes == Takes::any) add_step_flags();
  add_field_flags();
  flags_.push_back({"--stdin", "FILE", "File that the guest reads as its standard input; - is our own. Default: empty.",
                    [this](std::string_view value, std::string_view where) -> Result<void> {
                      if (value.empty()) return fail("usage", "names no file", std::string(where));
                      invocation_.stdin_from = std::string(value);
                      return {};
                    }});
  add_json_flag(flags_, invocation_.common, std::move(json_help));
  add_common_flags(flags_, invocation_.common);
}

void InvocationReader::add_field_flags() {
  for (const Field& field : request_fields()) {
    if (field.flag.empty()) continue;
    if (takes_ == Takes::bundle && !fits_bundle(field)) continue;
    if (takes_ == Takes::pipeline && (field.name == "runtime" || field.name == "code")) continue;
    const std::string metavar = field.type == FieldType::flag ? std::string() : std::string(field.metavar);
    flags_.push_back({std::string(field.flag), metavar, help_of(field),
                      [this, &field](std::string_view value, std::string_view where) -> Result<void> {
                        if (field.name == "runtime") runtime_given_ = true;
                        const std::string_view text = field.type == FieldType::flag ? "true" : value;
                        assignments_.push_back({&field, std::string(text), std::string(where)});
                        return {};
                      }});
  }
}

void InvocationReader::add_step_flags() {
  flags_.push_back({"-s,--step", "RUNTIME:CODE", "The next step: code for a runtime, or a script as RUNTIME:@FILE.",
                    [this](std::string_view value, std::string_view where) -> Result<void> {
                      Result<Request> step = parse_step(value, where);
                      if (!step) return Unexpected<Error>{step.error()};
                      steps_.push_back(std::move(*step));
                      return {};
                    }});
  for (const auto& [flag, name] :
       {std::pair("--step-timeout", "step_timeout"), std::pair("--keep-going", "keep_going")}) {
    const Field& field = *find_field(name);
    flags_.push_back({flag, std::string(field.metavar), help_of(field),
                      [this, &field](std::string_view value, std::string_view where) -> Result<void> {
                        const std::string_view text = field.type == FieldType::flag ? "true" : value;
                        assignments_.push_back({&field, std::string(text), std::string(where)});
                        return {};
                      }});
  }
}

int InvocationReader::help() const {
  return show_help(command_, flags_, R"(
Sizes take K, M, G or B behind the number, times ms, s, m or h.
Exit code: the guest's own (of a pipeline: the first failing step's); 124 out of time; 125 nothing was run; 126 and 127 the command cannot be executed or
found in the sandbox; 128+N ended by signal N; 2 the command line is wrong.
)");
}

Result<Invocation> InvocationReader::read(std::span<const std::string> arguments) {
  // What follows a script is the script's, and so are its flags.
  bool file_given = false;
  Result<Words> words = read_flags(flags_, arguments, [this, &file_given] {
    if (!runtime_given_) return false;
    file_given = true;
    return true;
  });
  if (!words) return Unexpected<Error>{words.error()};
  if (invocation_.common.help) return std::move(invocation_);
  if (file_given) {
    words->before.insert(words->before.end(), words->after.begin(), words->after.end());
    words->after.clear();
  }
  if (Result<void> read = read_words(*words); !read) return Unexpected<Error>{read.error()};
  for (const Assignment& assignment : assignments_) {
    const Result<void> set = set_field(invocation_.request, *assignment.field, assignment.value, assignment.where);
    if (!set) return Unexpected<Error>{set.error()};
  }
  if (!invocation_.stdin_from.empty()) invocation_.request.stdin_open = true;
  return std::move(invocation_);
}

Result<void> InvocationReader::read_words(Words& words) {
  Request& request = invocation_.request;
  if (!steps_.empty() || takes_ == Takes::pipeline) return read_steps(words);
  if (takes_ == Takes::bundle) {
    if (words.marked || words.before.size() != 1) {
      return fail("usage", "takes the folder of one bundle", std::string(command_), "\"cocoon spec DIR\" makes one");
    }
    return read_bundle(words.before.front());
  }
  if (words.marked && !words.before.empty()) {
    return fail("usage", "unexpected before \"--\"", words.before.front());
  }
  if (runtime_given_) {
    if (words.marked) return fail("usage", "a runtime and a command exclude each other", "--");
    bool code_given = false;
    for (const Assignment& assignment : assignments_) code_given |= assignment.field->name == "code";
    if (code_given && !words.before.empty()) {
      return fail("usage", "code and a script file exclude each other", words.before.front());
    }
    if (!code_given && words.before.empty()) {
      return fail("usage", "nothing to run", "--runtime", "add -c CODE or the path of a script");
    }
    if (!words.before.empty()) {
      request.file = words.before.front();
      request.args.assign(words.before.begin() + 1, words.before.end());
    }
    return {};
  }
  if (words.marked) {
    if (words.after.empty()) return fail("usage", "no command follows", "--");
    request.command = std::move(words.after);
    return {};
  }
  if (words.before.empty()) {
    return fail("usage", "nothing to run", std::string(command_),
                "-- COMMAND [ARGS], --runtime NAME -c CODE, --runtime NAME FILE, or the folder of a bundle");
  }
  if (words.before.size() > 1) {
    return fail("usage", "unexpected", words.before[1], "a command goes behind \"--\", a script behind --runtime NAME");
  }
  if (takes_ == Takes::any && is_pipeline_file(words.before.front())) return read_pipeline(words.before.front());
  return read_bundle(words.before.front());
}

Result<void> InvocationReader::read_steps(const Words& words) {
  if (words.marked || runtime_given_) {
    return fail("usage", "a pipeline is made of steps alone", words.marked ? "--" : "--runtime",
                "in a pipeline file, a step may be a command");
  }
  if (steps_.empty()) {
    if (words.before.size() == 1) return read_pipeline(words.before.front());
    return fail("usage", "takes steps (-s RUNTIME:CODE ...) or one pipeline file", std::string(command_));
  }
  if (!words.before.empty()) {
    return fail("usage", "steps on the command line and a file exclude each other", words.before.front());
  }
  invocation_.request.steps = std::move(steps_);
  return {};
}

Result<void> InvocationReader::read_pipeline(const std::string& file) {
  error_exit_ = kExitRefused;
  Result<Request> request = read_pipeline_file(file);
  if (!request) return Unexpected<Error>{request.error()};
  invocation_.request = std::move(*request);
  error_exit_ = kExitUsage;
  return {};
}

Result<void> InvocationReader::read_bundle(const std::string& folder) {
  error_exit_ = kExitRefused;
  const Result<std::string> cwd = os::current_folder();
  if (!cwd) return Unexpected<Error>{cwd.error()};
  const std::string bundle = os::absolute(folder, *cwd);
  if (!os::is_folder(bundle)) {
    return fail("path_missing", os::exists(bundle) ? "is no bundle folder" : "there is no such bundle folder", folder,
                "a command goes behind \"--\", a script behind --runtime NAME");
  }
  Result<std::string> text = os::read_file(os::join(bundle, "cocoon.conf"), kMaxConfBytes);
  if (!text) {
    return fail("path_missing", "has no cocoon.conf that can be read: " + text.error().message, folder,
                "\"cocoon spec " + folder + "\" makes one");
  }
  Result<Request> request = parse_conf(*text, bundle);
  if (!request) {
    if (request.error().where.starts_with("cocoon.conf")) {
      request.error().where = os::join(folder, request.error().where);
    }
    return Unexpected<Error>{request.error()};
  }
  invocation_.request = std::move(*request);
  error_exit_ = kExitUsage;
  return {};
}

}  // namespace cocoon::cli
