// The protocol over HTTP: sockets, their limits and deadlines. What is answered is HttpApp's.
#pragma once

#include "transport/http_app.hpp"

#include <cocoon/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace cocoon::transport {

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: one that is free
  HttpAppOptions app;
  std::size_t most_connections = 1024;
  std::size_t most_body_bytes = 4U << 20U;
  std::uint32_t most_header_bytes = 16U << 10U;
  // Each is for the whole of what it is about: dripping bytes gain no time.
  std::chrono::seconds header_time{30};  // for the next request to come, all of its head
  std::chrono::seconds body_time{30};
  std::chrono::seconds write_time{30};  // for one piece of a response to be taken
  std::chrono::seconds keep_alive{15};  // between signs of life on a quiet stream
  std::function<void(const std::string& url)> listening;
};

// Whether an address is one of this machine's own, which nobody else can reach.
Result<bool> is_loopback_address(const std::string& address);

// Serves until a signal asks to end; then ends every run.
Result<void> serve_http(mcp::Backend& backend, HttpOptions options);

}  // namespace cocoon::transport
