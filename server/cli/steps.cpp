// The steps of a pipeline on the command line.
#include "cli/steps.hpp"

#include "host/os/paths.hpp"
#include "host/toml.hpp"

namespace cocoon::cli {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

bool is_runtime_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+#";
  return !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
}

Unexpected<Error> in_file(const std::string& path, Error error) {
  error.where = path + (error.where.empty() ? "" : ": " + error.where);
  return {std::move(error)};
}

}  // namespace

Result<Request> parse_step(std::string_view text, std::string_view where) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_runtime_name(text.substr(0, colon))) {
    return fail("usage", "begins with no runtime", std::string(where),
                "write RUNTIME:CODE or RUNTIME:@FILE, such as python:print(1)");
  }
  Request step;
  step.runtime = std::string(text.substr(0, colon));
  const std::string_view code = text.substr(colon + 1);
  // Code that begins with '@' (a decorator) goes behind a line break.
  if (!code.starts_with('@') || code.find('\n') != std::string_view::npos) {
    step.code = std::string(code);
    return step;
  }
  step.file = std::string(code.substr(1));
  if (step.file.empty()) return fail("usage", "names no file behind the @", std::string(where));
  return step;
}

bool is_pipeline_file(const std::string& path) {
  return (path.ends_with(".json") || path.ends_with(".toml")) && os::is_file(path);
}

Result<Request> read_pipeline_file(const std::string& path) {
  Result<std::string> text = os::read_file(path, kMaxFileBytes);
  if (!text) return in_file(path, {"path_missing", "can't be read: " + text.error().message, "", ""});
  if (path.ends_with(".toml")) {
    text = toml_to_json(*text);
    if (!text) return in_file(path, text.error());
  }
  Result<Request> request = parse_request(*text);
  if (!request) return in_file(path, request.error());
  if (request->steps.empty()) {
    return fail("missing_value", "has no steps", path, R"(such as {"steps": [{"runtime": "bash", "code": "ls"}]})");
  }
  return request;
}

}  // namespace cocoon::cli
