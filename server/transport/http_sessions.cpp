// Sessions of the revisions that have them, and the older transport whose one stream is a session.
#include "host/os/random.hpp"
#include "transport/http_app.hpp"
#include "transport/http_text.hpp"

namespace cocoon::transport {

using std::chrono::steady_clock;

std::shared_ptr<HttpApp::Session> HttpApp::find_session(const std::optional<std::string>& id,
                                                        const std::string& caller) {
  const auto found = id ? sessions_.find(*id) : sessions_.end();
  // Who shows another token does not learn that the session exists.
  if (found == sessions_.end() || found->second->caller != caller) return nullptr;
  return found->second;
}

void HttpApp::end_session(const std::shared_ptr<Session>& session) {
  apply(session, session->protocol.close(), std::make_shared<Conversation>());
  if (session->stream) session->stream->end();
  session->stream = nullptr;
  sessions_.erase(session->id);
}

void HttpApp::drop_idle_sessions() {
  const auto now = steady_clock::now();
  const auto is_idle = [&](const Session& session) { return !session.stream && session.protocol.is_idle(); };
  std::shared_ptr<Session> oldest;
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    Session& session = *it->second;
    if (is_idle(session) && now - session.used > options_.session_idle) {
      it = sessions_.erase(it);
      continue;
    }
    if (is_idle(session) && (!oldest || session.used < oldest->used)) oldest = it->second;
    ++it;
  }
  // A client whose session was dropped is told so, and opens another.
  if (sessions_.size() >= options_.most_sessions && oldest) sessions_.erase(oldest->id);
}

void HttpApp::open_stream(const HttpRequest& request, const std::string& caller,
                          const std::shared_ptr<Exchange>& exchange) {
  if (!accepts(request.header("accept"), "text/event-stream"))
    return refuse(*exchange, 406, "Accept has to name text/event-stream");
  const std::shared_ptr<Session> session = find_session(request.header("mcp-session-id"), caller);
  if (session == nullptr || session->old_transport)
    return refuse(*exchange, 404, "there is no such session; initialize opens one");
  // A client that comes back before its old connection was noticed to be dead takes over.
  if (session->stream) session->stream->end();
  session->stream = exchange;
  exchange->begin();
}

void HttpApp::delete_session(const HttpRequest& request, const std::string& caller,
                             const std::shared_ptr<Exchange>& exchange) {
  const std::shared_ptr<Session> session = find_session(request.header("mcp-session-id"), caller);
  if (session == nullptr) return refuse(*exchange, 404, "there is no such session");
  end_session(session);
  exchange->reply({204, {}, {}});
}

void HttpApp::open_old_stream(const std::string& caller, const std::shared_ptr<Exchange>& exchange) {
  drop_idle_sessions();
  if (sessions_.size() >= options_.most_sessions) return refuse(*exchange, 503, "too many sessions are open");
  auto session = std::make_shared<Session>(backend_.catalog(), calls_);
  session->id = os::random_name();
  session->caller = caller;
  session->old_transport = true;
  session->stream = exchange;
  session->used = steady_clock::now();
  sessions_.emplace(session->id, session);
  exchange->begin();
  exchange->event("event: endpoint\ndata: /messages?sessionId=" + session->id + "\n\n", false);
}

void HttpApp::post_old_message(const HttpRequest& request, const std::string& caller,
                               const std::shared_ptr<Exchange>& exchange) {
  if (!is_json(request.header("content-type")))
    return refuse(*exchange, 415, "Content-Type has to be application/json");
  const std::shared_ptr<Session> session = find_session(query_value(request.target, "sessionId"), caller);
  if (session == nullptr || !session->old_transport) return refuse(*exchange, 404, "there is no such session");
  session->used = steady_clock::now();
  auto conversation = std::make_shared<Conversation>();
  conversation->exchange = session->stream;
  conversation->named_events = true;
  exchange->reply({202, {}, {}});
  apply(session, session->protocol.receive(mcp::parse_json(request.body), nullptr), conversation);
}

std::string HttpApp::metrics_text() {
  std::string text = options_.metrics ? options_.metrics() : "";
  if (owner_metrics) text += owner_metrics();
  text += metric("cocoon_runs_running", "gauge", "Runs that go on.", dispatcher_->running());
  text += metric("cocoon_runs_waiting", "gauge", "Runs that wait for their turn.", dispatcher_->waiting());
  text += metric("cocoon_sessions", "gauge", "Sessions that are open.", sessions_.size());
  text +=
      "# HELP cocoon_answers_total Answers to protocol requests, by HTTP status.\n# TYPE cocoon_answers_total "
      "counter\n";
  for (const auto& [status, count] : answered_)
    text += "cocoon_answers_total{status=\"" + std::to_string(status) + "\"} " + std::to_string(count) + "\n";
  return text;
}

}  // namespace cocoon::transport
