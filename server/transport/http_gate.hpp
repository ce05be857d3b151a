// Who may talk to the HTTP server at all: Host, Origin and bearer tokens. Pure functions of a request's headers.
#pragma once

#include <cocoon/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::transport {

struct Token {
  std::string name;    // for the audit
  std::string sha256;  // of the token, in hexadecimal digits; the token itself is kept nowhere
};

struct GateOptions {
  bool loopback = true;                      // bound to it: only names of this machine are right
  std::vector<std::string> allowed_hosts;    // names beside those, without ports
  std::vector<std::string> allowed_origins;  // "https://example.org"
  std::vector<Token> tokens;                 // empty: nobody has to show one
};

struct Stopped {
  int status;
  std::string message;
  std::string www_authenticate;  // empty: none
};

// Whether Host and Origin are those of a client that knows whom it talks to (DNS rebinding, other sites' scripts).
std::optional<Stopped> check_addressed(const GateOptions& options, std::string_view host,
                                       const std::optional<std::string>& origin);

// Compares in a time that does not depend on how much of a token is right.
std::optional<Stopped> check_token(const GateOptions& options, const std::optional<std::string>& authorization,
                                   std::string& caller);

// Lines "TOKEN" or "NAME TOKEN"; '#' begins a comment. where names the text in errors.
Result<std::vector<Token>> read_tokens(std::string_view text, const std::string& where);
Token make_token(std::string name, std::string_view token);

bool is_loopback_name(std::string_view host_and_port);

}  // namespace cocoon::transport
