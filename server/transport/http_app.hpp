// What the HTTP server answers: requests in, responses and streams of events out. Knows the protocol's rules about HTTP,
// and no socket. All on one thread, but for what works report.
#pragma once

#include "mcp/backend.hpp"
#include "mcp/protocol.hpp"
#include "transport/dispatcher.hpp"
#include "transport/http_gate.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cocoon::transport {

struct HttpRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  // Nothing where it is missing, or there more than once.
  std::optional<std::string> header(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// One request on its way to its answer. Implemented by whoever owns the connection.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // Either one reply, or a stream: events, each a finished piece of text/event-stream, and an end.
  virtual void reply(HttpReply reply) = 0;
  // Sends the head of a stream now, instead of with its first event.
  virtual void begin() = 0;
  virtual void event(std::string text, bool may_be_dropped) = 0;
  virtual void end() = 0;
  // A reply may be an hour away: after a while without one, the connection is to become a stream by itself.
  bool may_become_stream = false;
  std::vector<std::pair<std::string, std::string>> stream_headers;
};

struct HttpAppOptions {
  GateOptions gate;
  DispatcherLimits limits;
  std::size_t most_sessions = 1000;
  std::chrono::seconds session_idle{3600};
  std::function<std::string()> metrics;  // of what lies behind the protocol, as Prometheus text
};

class HttpApp : public Events {
 public:
  using Post = std::function<void(std::function<void()>)>;  // runs something on the app's thread

  HttpApp(mcp::Backend& backend, HttpAppOptions options, Post post);
  ~HttpApp() override;

  void handle(const HttpRequest& request, const std::shared_ptr<Exchange>& exchange);
  // The client has closed the connection before its end.
  void gone(const std::shared_ptr<Exchange>& exchange);
  // No new work from now on, and an end of what goes on.
  void shut_down();
  bool is_idle() const { return calls_in_flight_.empty(); }

  // A lower bound of what the app's owner counts itself: text for /metrics.
  std::function<std::string()> owner_metrics;

  void progress(std::uint64_t call, double value, std::optional<double> total, std::string message) override;
  void log(std::uint64_t call, std::string level, mcp::Json data) override;
  void finished(std::uint64_t call, mcp::Reply reply) override;

 private:
  // What an HTTP request's answers go to.
  struct Conversation {
    std::shared_ptr<Exchange> exchange;  // NULL: the client has gone
    std::size_t answers_missing = 0;
    bool streaming = false;
    bool named_events = false;  // HTTP+SSE: many conversations on one stream, which ends none of them
  };
  // A connection as the protocol sees it: a session of the old revisions, or one request of the new.
  struct Session {
    Session(const mcp::Catalog& catalog, std::uint64_t& calls) : protocol(catalog, calls) {}
    mcp::Protocol protocol;
    std::string id;  // empty: it ends with its request
    std::string caller;
    std::shared_ptr<Exchange> stream;  // of GET
    bool old_transport = false;        // HTTP+SSE of 2024-11-05
    std::chrono::steady_clock::time_point used;
  };
  struct Call {
    std::shared_ptr<Session> session;
    std::shared_ptr<Conversation> conversation;
  };

  void post_message(const HttpRequest& request, const std::string& caller, const std::shared_ptr<Exchange>& exchange);
  void open_stream(const HttpRequest& request, const std::string& caller, const std::shared_ptr<Exchange>& exchange);
  void delete_session(const HttpRequest& request, const std::string& caller, const std::shared_ptr<Exchange>& exchange);
  void open_old_stream(const std::string& caller, const std::shared_ptr<Exchange>& exchange);
  void post_old_message(const HttpRequest& request, const std::string& caller,
                        const std::shared_ptr<Exchange>& exchange);
  std::shared_ptr<Session> find_session(const std::optional<std::string>& id, const std::string& caller);
  std::shared_ptr<Session> new_session(const std::string& caller);
  void end_session(const std::shared_ptr<Session>& session);
  void drop_idle_sessions();
  void apply(const std::shared_ptr<Session>& session, mcp::Effects effects,
             const std::shared_ptr<Conversation>& conversation);
  void deliver(Conversation& conversation, mcp::Outgoing message);
  void with_call(std::uint64_t call, const std::function<mcp::Effects(mcp::Protocol&)>& event, bool is_end);
  std::string metrics_text();

  mcp::Backend& backend_;
  const HttpAppOptions options_;
  const Post post_;
  std::uint64_t calls_ = 0;
  bool shutting_down_ = false;
  std::map<std::string, std::shared_ptr<Session>, std::less<>> sessions_;
  std::map<std::uint64_t, Call> calls_in_flight_;
  std::map<int, std::uint64_t> answered_;  // HTTP status -> requests
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace cocoon::transport
