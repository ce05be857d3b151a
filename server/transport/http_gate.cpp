// The gate's rules.
#include "transport/http_gate.hpp"

#include "host/sha256.hpp"
#include "plan/text.hpp"

#include <algorithm>

namespace cocoon::transport {
namespace {

constexpr std::size_t shortest_token = 16;

std::string name_of(std::string_view host_and_port) {
  if (host_and_port.starts_with('[')) return lower(host_and_port.substr(0, host_and_port.find(']') + 1));
  return lower(host_and_port.substr(0, host_and_port.find(':')));
}

bool is_port(std::string_view text) {
  return text.empty() || (text.size() > 1 && text.size() <= 6 && text[0] == ':' &&
                          text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool is_token_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

bool is_loopback_name(std::string_view host_and_port) {
  const std::string name = name_of(host_and_port);
  return (name == "localhost" || name == "127.0.0.1" || name == "[::1]") && is_port(host_and_port.substr(name.size()));
}

std::optional<Stopped> check_addressed(const GateOptions& options, std::string_view host,
                                       const std::optional<std::string>& origin) {
  const auto& hosts = options.allowed_hosts;
  const bool is_listed = contains(hosts, name_of(host));
  if (!is_listed && !is_loopback_name(host) && (options.loopback || !hosts.empty()))
    return Stopped{403, "this server does not go by the name in Host", {}};
  if (!origin) return std::nullopt;
  const auto& origins = options.allowed_origins;
  if (contains(origins, *origin)) return std::nullopt;
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin->starts_with(scheme) && is_loopback_name(std::string_view(*origin).substr(scheme.size())))
      return std::nullopt;
  return Stopped{403, "requests from this Origin are not allowed", {}};
}

std::optional<Stopped> check_token(const GateOptions& options, const std::optional<std::string>& authorization,
                                   std::string& caller) {
  caller = "http";
  if (options.tokens.empty()) return std::nullopt;
  const std::string challenge = "Bearer realm=\"cocoon\"";
  if (!authorization) return Stopped{401, "a bearer token is needed", challenge};
  constexpr std::string_view scheme = "bearer ";
  if (authorization->size() <= scheme.size() || lower(authorization->substr(0, scheme.size())) != scheme)
    return Stopped{401, "Authorization is not a bearer token", challenge + ", error=\"invalid_request\""};
  const std::string given = sha256_hex(std::string_view(*authorization).substr(scheme.size()));
  bool found = false;
  for (const Token& token : options.tokens) {
    unsigned different = 0;
    for (std::size_t i = 0; i < given.size(); ++i)
      different |= static_cast<unsigned>(given[i]) ^ static_cast<unsigned>(token.sha256[i]);
    if (different != 0) continue;
    found = true;
    caller = "http:" + token.name;
  }
  if (!found) return Stopped{401, "the bearer token is not valid", challenge + ", error=\"invalid_token\""};
  return std::nullopt;
}

Token make_token(std::string name, std::string_view token) { return {std::move(name), sha256_hex(token)}; }

Result<std::vector<Token>> read_tokens(std::string_view text, const std::string& where) {
  std::vector<Token> tokens;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string_view token = space == std::string_view::npos ? line : line.substr(space + 1);
    if (token.size() < shortest_token || !is_token_text(token))
      return fail("bad_value", "is not a token of at least 16 visible characters", where + ":" + std::to_string(number),
                  "openssl rand -hex 32 makes one");
    tokens.push_back(make_token(
        space == std::string_view::npos ? "token" + std::to_string(number) : std::string(line.substr(0, space)),
        token));
  }
  if (tokens.empty()) return fail("bad_value", "holds no token", where);
  return tokens;
}

}  // namespace cocoon::transport
