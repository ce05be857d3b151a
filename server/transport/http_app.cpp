// Routes, and the way of a message from its POST to its answers.
#include "transport/http_app.hpp"

#include "host/os/random.hpp"
#include "transport/http_text.hpp"

#include <algorithm>

namespace cocoon::transport {
namespace {

using mcp::Effects;
using Headers = std::vector<std::pair<std::string, std::string>>;
using std::chrono::steady_clock;

}  // namespace

HttpApp::HttpApp(mcp::Backend& backend, HttpAppOptions options, Post post)
    : backend_(backend),
      options_(std::move(options)),
      post_(std::move(post)),
      dispatcher_(std::make_unique<Dispatcher>(backend, *this, options_.limits)) {}

HttpApp::~HttpApp() = default;

void HttpApp::handle(const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
  const std::string_view path = path_of(request.target);
  if (path == "/healthz" && request.method == "GET")
    return exchange->reply(text_reply(shutting_down_ ? 503 : 200, shutting_down_ ? "ending\n" : "ok\n"));
  std::optional<Stopped> stopped =
      check_addressed(options_.gate, request.header("host").value_or(""), request.header("origin"));
  std::string caller;
  if (!stopped) stopped = check_token(options_.gate, request.header("authorization"), caller);
  if (stopped) {
    Headers headers;
    if (!stopped->www_authenticate.empty()) headers.emplace_back("WWW-Authenticate", stopped->www_authenticate);
    return refuse(*exchange, stopped->status, stopped->message, std::move(headers));
  }
  if (shutting_down_) return refuse(*exchange, 503, "the server is ending");
  if (path == "/metrics" && request.method == "GET") return exchange->reply(text_reply(200, metrics_text()));
  if (path == "/sse" && request.method == "GET") return open_old_stream(caller, exchange);
  if (path == "/messages" && request.method == "POST") return post_old_message(request, caller, exchange);
  if (path != "/mcp") return refuse(*exchange, 404, "there is nothing here; the protocol is at /mcp");
  if (request.method == "POST") return post_message(request, caller, exchange);
  const std::optional<std::string> version = request.header("mcp-protocol-version");
  const bool is_modern = version && *version >= to_string(mcp::Version::v2026_07_28);
  const bool has_session = request.header("mcp-session-id").has_value();
  if (request.method == "GET" && has_session && !is_modern) return open_stream(request, caller, exchange);
  if (request.method == "DELETE" && has_session && !is_modern) return delete_session(request, caller, exchange);
  refuse(*exchange, 405, "messages are sent by POST", {{"Allow", "POST"}});
}

void HttpApp::post_message(const HttpRequest& request, const std::string& caller,
                           const std::shared_ptr<Exchange>& exchange) {
  if (!is_json(request.header("content-type")))
    return refuse(*exchange, 415, "Content-Type has to be application/json");
  if (!accepts(request.header("accept"), "application/json") || !accepts(request.header("accept"), "text/event-stream"))
    return refuse(*exchange, 406, "Accept has to name application/json and text/event-stream");
  Result<mcp::Json> json = mcp::parse_json(request.body);
  const bool is_object = json && json->is_object();
  const bool modern = is_object && mcp::claims_version(*json);
  const bool opens = is_object && !modern && mcp::text_of(*json, "method") == "initialize";
  const mcp::HttpHeaders headers = protocol_headers(request);

  std::shared_ptr<Session> session;
  if (modern || opens || !json) {
    session = std::make_shared<Session>(backend_.catalog(), calls_);
    session->caller = caller;
  } else if (const std::optional<std::string> id = request.header("mcp-session-id")) {
    session = find_session(id, caller);
    if (session == nullptr) return refuse(*exchange, 404, "there is no such session; initialize opens one");
  } else if (is_object && headers.protocol_version &&
             *headers.protocol_version >= to_string(mcp::Version::v2026_07_28)) {
    session = std::make_shared<Session>(backend_.catalog(), calls_);  // it is told what its body lacks
  } else {
    return refuse(*exchange, 400,
                  "Mcp-Session-Id is missing; initialize opens a session, and since 2026-07-28 a request "
                  "says all about itself in params._meta");
  }
  session->used = steady_clock::now();
  auto conversation = std::make_shared<Conversation>();
  conversation->exchange = exchange;
  Effects effects = session->protocol.receive(std::move(json), &headers);
  if (effects.opened) {
    drop_idle_sessions();
    if (sessions_.size() >= options_.most_sessions) return refuse(*exchange, 503, "too many sessions are open");
    session->id = os::random_name();
    sessions_.emplace(session->id, session);
    exchange->stream_headers.emplace_back("Mcp-Session-Id", session->id);
  }
  apply(session, std::move(effects), conversation);
}

void HttpApp::apply(const std::shared_ptr<Session>& session, Effects effects,
                    const std::shared_ptr<Conversation>& conversation) {
  for (const std::uint64_t call : effects.cancel) {
    const auto found = calls_in_flight_.find(call);
    if (found == calls_in_flight_.end()) continue;
    dispatcher_->cancel(call);
    // Its request gets no answer, and so its stream has nothing more to wait for.
    Conversation& other = *found->second.conversation;
    if (other.answers_missing == 0) continue;
    --other.answers_missing;
    if (other.answers_missing == 0 && other.exchange && !other.named_events) {
      if (!other.streaming) other.exchange->begin();
      other.exchange->end();
      other.exchange = nullptr;
    }
    calls_in_flight_.erase(found);
  }
  const auto is_answer = [](const mcp::Outgoing& message) { return message.is_answer; };
  conversation->answers_missing += effects.start.size() + static_cast<std::size_t>(std::count_if(
                                                              effects.send.begin(), effects.send.end(), is_answer));
  if (conversation->answers_missing == 0) {
    if (conversation->exchange && !conversation->named_events) conversation->exchange->reply({202, {}, {}});
    return;
  }
  if (conversation->exchange && !conversation->named_events) {
    conversation->exchange->may_become_stream = !effects.start.empty();
    conversation->streaming = conversation->answers_missing > 1;
  }
  for (mcp::Outgoing& message : effects.send) deliver(*conversation, std::move(message));
  for (mcp::Work& work : effects.start) {
    work.caller = session->caller;
    calls_in_flight_.emplace(work.call, Call{session, conversation});
    dispatcher_->start(std::move(work));
  }
}

void HttpApp::deliver(Conversation& conversation, mcp::Outgoing message) {
  if (message.is_answer) {
    if (conversation.answers_missing > 0) --conversation.answers_missing;
    ++answered_[mcp::http_status(message.error_code, message.is_rejected, message.is_modern)];
  }
  Exchange* exchange = conversation.exchange.get();
  if (exchange == nullptr) return;
  if (conversation.named_events) {
    exchange->event("event: message\ndata: " + message.text + "\n\n", !message.is_answer);
    return;
  }
  // What is answered before anything else was said is one plain response, with a status of its own.
  if (message.is_answer && !conversation.streaming && conversation.answers_missing == 0) {
    const int status = mcp::http_status(message.error_code, message.is_rejected, message.is_modern);
    exchange->reply(json_reply(status, std::move(message.text), exchange->stream_headers));
    conversation.exchange = nullptr;
    return;
  }
  conversation.streaming = true;
  exchange->event("event: message\ndata: " + message.text + "\n\n", !message.is_answer);
  if (conversation.answers_missing > 0) return;
  exchange->end();
  conversation.exchange = nullptr;
}

void HttpApp::with_call(std::uint64_t call, const std::function<Effects(mcp::Protocol&)>& event, bool is_end) {
  const auto found = calls_in_flight_.find(call);
  if (found == calls_in_flight_.end()) return;
  const Call entry = found->second;
  if (is_end) calls_in_flight_.erase(found);
  entry.session->used = steady_clock::now();
  for (mcp::Outgoing& message : event(entry.session->protocol).send) deliver(*entry.conversation, std::move(message));
}

void HttpApp::progress(std::uint64_t call, double value, std::optional<double> total, std::string message) {
  post_([this, call, value, total, text = std::move(message)] {
    with_call(
        call, [&](mcp::Protocol& protocol) { return protocol.progress(call, value, total, text); }, false);
  });
}

void HttpApp::log(std::uint64_t call, std::string level, mcp::Json data) {
  post_([this, call, name = std::move(level), value = std::move(data)] {
    with_call(
        call, [&](mcp::Protocol& protocol) { return protocol.log(call, name, value); }, false);
  });
}

void HttpApp::finished(std::uint64_t call, mcp::Reply reply) {
  post_([this, call, end = std::move(reply)]() mutable {
    with_call(
        call, [&](mcp::Protocol& protocol) { return protocol.finish(call, std::move(end)); }, true);
  });
}

void HttpApp::gone(const std::shared_ptr<Exchange>& exchange) {
  std::vector<std::shared_ptr<Session>> ended;
  for (const auto& [id, session] : sessions_) {
    if (session->stream != exchange) continue;
    session->stream = nullptr;
    if (session->old_transport) ended.push_back(session);  // its one way back
  }
  for (const auto& session : ended) end_session(session);
  std::vector<std::pair<std::uint64_t, Call>> abandoned;
  for (auto& [call, entry] : calls_in_flight_) {
    if (entry.conversation->exchange != exchange) continue;
    // Until 2025-11-25 a lost connection is no wish to end; since then it is.
    if (entry.session->id.empty()) abandoned.emplace_back(call, entry);
  }
  for (auto& [call, entry] : abandoned) {
    entry.conversation->exchange = nullptr;
    apply(entry.session, entry.session->protocol.abandon(call), std::make_shared<Conversation>());
  }
  for (auto& [call, entry] : calls_in_flight_)
    if (entry.conversation->exchange == exchange) entry.conversation->exchange = nullptr;
}

void HttpApp::shut_down() {
  shutting_down_ = true;
  for (const auto& [id, session] : sessions_) {
    if (session->stream) session->stream->end();
    session->stream = nullptr;
  }
  dispatcher_->cancel_all();
}

}  // namespace cocoon::transport
