// cocoon serve: a server for any number of agents, over HTTP.
#include "agent/agent.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/server/policy_flags.hpp"
#include "host/os/channel.hpp"
#include "host/os/memory.hpp"
#include "host/os/paths.hpp"
#include "transport/http.hpp"
#include "transport/http_text.hpp"

#include <charconv>

namespace cocoon::cli {
namespace {

constexpr std::size_t longest_token_file = 1U << 20U;

struct HttpFlags {
  std::string listen = "127.0.0.1:8765";
  std::string token_file;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
};

Result<void> read_address(const std::string& text, transport::HttpOptions& options) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  std::string address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  std::uint16_t number = 0;
  const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || rest != port.data() + port.size() || port.empty())
    return fail("usage", "must be ADDRESS:PORT", "--listen " + text, "127.0.0.1:8765, or [::1]:8765");
  if (address == "localhost") address = "127.0.0.1";
  options.address = address;
  options.port = number;
  return {};
}

Result<void> read_credentials(const HttpFlags& flags, transport::GateOptions& gate) {
  if (!flags.token_file.empty()) {
    const Result<std::string> text = os::read_private_file(flags.token_file, longest_token_file);
    if (!text) return Unexpected<Error>{text.error()};
    Result<std::vector<transport::Token>> tokens = transport::read_tokens(*text, flags.token_file);
    if (!tokens) return Unexpected<Error>{tokens.error()};
    gate.tokens = std::move(*tokens);
  }
  if (const std::optional<std::string> given = os::environment("COCOON_TOKEN"); given && !given->empty()) {
    Result<std::vector<transport::Token>> tokens = transport::read_tokens("env " + *given, "COCOON_TOKEN");
    if (!tokens) return Unexpected<Error>{tokens.error()};
    gate.tokens.insert(gate.tokens.end(), tokens->begin(), tokens->end());
  }
  if (!gate.loopback && gate.tokens.empty())
    return fail("usage", "beyond this machine, clients have to show a token", "--listen " + flags.listen,
                "--token-file FILE, or the environment variable COCOON_TOKEN");
  return {};
}

std::string run_metrics(agent::Agent& agent) {
  const agent::Counters counters = agent.counters();
  std::string text = "# HELP cocoon_runs_total Runs that have ended, by status.\n# TYPE cocoon_runs_total counter\n";
  for (const auto& [status, count] : counters.endings)
    text += "cocoon_runs_total{status=\"" + status + "\"} " + std::to_string(count) + "\n";
  text += "# HELP cocoon_run_milliseconds Wall-clock time of runs.\n# TYPE cocoon_run_milliseconds histogram\n";
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counters.durations.size(); ++i) {
    below += counters.durations[i];
    const bool last = i == agent::duration_bounds_ms.size();
    text += "cocoon_run_milliseconds_bucket{le=\"" + (last ? "+Inf" : std::to_string(agent::duration_bounds_ms[i])) +
            "\"} " + std::to_string(below) + "\n";
  }
  text += "cocoon_run_milliseconds_sum " + std::to_string(counters.duration_ms) + "\ncocoon_run_milliseconds_count " +
          std::to_string(below) + "\n";
  return text + transport::metric("process_resident_memory_bytes", "gauge", "Resident memory of the server itself.",
                                  os::resident_bytes());
}

void add_http_flags(std::vector<Flag>& flags, HttpFlags& http) {
  const auto text = [&](const char* name, const char* metavar, const char* help, std::string& out) {
    flags.push_back({name, metavar, help, [&out](std::string_view value, std::string_view) -> Result<void> {
                       out = std::string(value);
                       return {};
                     }});
  };
  const auto list = [&](const char* name, const char* metavar, const char* help, std::vector<std::string>& out) {
    flags.push_back({name, metavar, help, [&out](std::string_view value, std::string_view) -> Result<void> {
                       out.emplace_back(value);
                       return {};
                     }});
  };
  text("--listen", "ADDRESS:PORT", "Where to listen. Default: 127.0.0.1:8765; port 0 is any that is free.",
       http.listen);
  text("--token-file", "FILE",
       "Bearer tokens that clients have to show, one a line, or NAME TOKEN; readable by you alone. COCOON_TOKEN holds "
       "one as well.",
       http.token_file);
  list("--allow-host", "NAME", "A name that this server goes by, beside localhost (repeatable).", http.hosts);
  list("--allow-origin", "URL", "A web page's origin that may call, beside localhost (repeatable).", http.origins);
}

}  // namespace

int serve_command(std::span<const std::string> arguments) {
  ServerOptions options;
  HttpFlags http;
  std::vector<Flag> flags;
  add_http_flags(flags, http);
  add_policy_flags(flags, options);
  add_common_flags(flags, options.common);
  if (const Result<void> read = read_flags_only(flags, arguments, "serve"); !read)
    return report(read.error(), false, kExitUsage);
  if (options.common.help)
    return show_help(
        "serve", flags,
        "\nThe protocol is at /mcp (Streamable HTTP) and /sse (its predecessor); /healthz and /metrics tell how "
        "the server is.\n");
  transport::HttpOptions server;
  if (Result<void> read = read_address(http.listen, server); !read) return report(read.error(), false, kExitUsage);
  const Result<bool> loopback = transport::is_loopback_address(server.address);
  if (!loopback) return report(loopback.error(), false, kExitUsage);
  transport::GateOptions& gate = server.app.gate;
  gate.loopback = *loopback;
  gate.allowed_hosts = http.hosts;
  gate.allowed_origins = http.origins;
  if (Result<void> read = read_credentials(http, gate); !read)
    return report(read.error(), false, read.error().code == "usage" ? kExitUsage : kExitRefused);
  const Result<std::unique_ptr<agent::Agent>> made = make_agent(options);
  if (!made) return report(made.error(), false, kExitRefused);
  server.app.limits.long_works = (*made)->policy().concurrent_runs;
  server.app.limits.waiting_works = (*made)->policy().queued_runs;
  server.app.metrics = [agent = made->get()] { return run_metrics(*agent); };
  server.listening = [](const std::string& url) { print_error("cocoon: serving at " + url + "\n"); };
  os::raise_open_files();
  if (Result<void> served = transport::serve_http(**made, std::move(server)); !served)
    return report(served.error(), false, kExitRefused);
  return 0;
}

}  // namespace cocoon::cli
