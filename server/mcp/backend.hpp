// What stands behind the protocol and does the work that it is asked for. Blocking calls, made by a transport's threads.
#pragma once

#include "mcp/catalog.hpp"
#include "mcp/rpc.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cocoon::mcp {

enum class WorkKind : std::uint8_t { call_tool, read_resource, get_prompt, complete };

// One request that takes time.
struct Work {  // NOLINT(bugprone-exception-escape): the check sees a throw behind the JSON value's noexcept move
  std::uint64_t call = 0;  // names it to the Protocol that made it
  WorkKind kind = WorkKind::call_tool;
  std::string name;  // of the tool or prompt; the resource's URI
  Json arguments;    // an object; of complete: the request's params
  Json client_capabilities;
  Json input_responses;  // 2026-07-28: what the client adds when it asks again; null: nothing
  std::string request_state;
  Version version = latest_legacy;
  bool wants_progress = false;
  std::string caller;  // who asks, as far as the transport knows: "stdio", a token's name
};

// How a work ended: a result for the client, or an error.
struct Reply {  // NOLINT(bugprone-exception-escape): the check sees a throw behind the JSON value's noexcept move
  Json result;
  std::optional<RpcError> error;
};

// The way back to the client while the work goes on. Any thread, until perform returns; never blocks.
class Observer {
 public:
  virtual ~Observer() = default;
  // Values have to grow; one that does not is dropped, and so is whatever a slow client has no room for.
  virtual void progress(double value, std::optional<double> total, std::string message) = 0;
  virtual void log(std::string_view level, Json data) = 0;
  virtual bool cancelled() const = 0;
  virtual int cancel_fd() const = 0;  // readable from then on
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Catalog& catalog() const = 0;
  // Whether it may take long, and so has to wait for its turn among the long ones.
  virtual bool is_long(const Work& work) const = 0;
  // [any thread, several at once] Does not throw.
  virtual Reply perform(const Work& work, Observer& observer) = 0;
  // [any thread] For work that could not be taken: too much waits already.
  virtual Reply refuse_busy(const Work& work) = 0;
};

}  // namespace cocoon::mcp
