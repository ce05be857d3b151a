// The HTTP server: one thread, a coroutine for each connection. The one file that knows Boost.Beast.
#include "transport/http.hpp"

#include "host/log.hpp"
#include "host/os/signals.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <unistd.h>

#include <array>
#include <deque>

namespace cocoon::transport {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Work = asio::awaitable<void>;

// Events that a slow client has not taken: beyond the first, news is dropped; beyond the second, the connection.
constexpr std::size_t much_waiting = 1U << 20U;
constexpr std::size_t too_much_waiting = 32U << 20U;
// A request without an answer for this long shows its client signs of life.
constexpr std::chrono::seconds quiet_before_stream{5};
constexpr std::chrono::milliseconds time_to_end{1000};
constexpr std::chrono::seconds time_to_linger{2};
constexpr std::size_t most_lingering_bytes = 8U << 20U;

auto into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

struct Load {
  std::size_t connections = 0;
  std::size_t answering = 0;  // of them, those that a request goes on over
};

// One connection, and the exchange that goes on over it.
class Connection : public Exchange, public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, HttpApp& app, const HttpOptions& options, Load& load)
      : stream_(std::move(socket)), wake_(stream_.get_executor()), app_(app), options_(options), load_(load) {
    ++load_.connections;
  }
  ~Connection() override { --load_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Work run();
  void close() {
    error_code ignored;
    stream_.socket().close(ignored);
  }

  void reply(HttpReply reply) override {
    reply_ = std::move(reply);
    wake_.cancel();
  }
  void begin() override {
    streaming_ = true;
    wake_.cancel();
  }
  void event(std::string text, bool may_be_dropped) override {
    streaming_ = true;
    if (may_be_dropped && waiting_bytes_ > much_waiting) return;
    waiting_bytes_ += text.size();
    if (waiting_bytes_ > too_much_waiting) return close();
    events_.push_back(std::move(text));
    wake_.cancel();
  }
  void end() override {
    ended_ = true;
    wake_.cancel();
  }

 private:
  Work serve_one(bool& keep);
  Work answer(bool& keep);
  Work stream();
  Work watch();
  Work write(std::string text, error_code& error);
  Work refuse(int status, const char* message);

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  asio::steady_timer wake_;
  HttpApp& app_;
  const HttpOptions& options_;
  Load& load_;

  // Of the request that is being answered.
  std::optional<HttpReply> reply_;
  std::deque<std::string> events_;
  std::size_t waiting_bytes_ = 0;
  bool streaming_ = false;
  bool ended_ = false;
  bool gone_ = false;
  bool watching_ = false;
  bool http_1_0_ = false;
};

http::response<http::string_body> response_of(HttpReply reply, bool keep) {
  http::response<http::string_body> response(static_cast<http::status>(reply.status), 11);
  for (const auto& [name, value] : reply.headers) response.set(name, value);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.keep_alive(keep);
  response.body() = std::move(reply.body);
  if (reply.status != 202 && reply.status != 204) response.prepare_payload();
  if (reply.status == 202) response.content_length(0);
  return response;
}

Work Connection::refuse(int status, const char* message) {
  error_code error;
  stream_.expires_after(options_.write_time);
  auto response = response_of({status, {{"Content-Type", "text/plain"}}, message}, false);
  co_await http::async_write(stream_, response, into(error));
}

Work Connection::run() {
  const auto self = shared_from_this();
  bool keep = true;
  while (keep) co_await serve_one(keep);
  // Closed at once, with something of the client's still unread, the connection would be reset and our last words lost.
  error_code error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  stream_.expires_after(time_to_linger);
  std::array<char, 4096> rest;
  for (std::size_t taken = 0; !error && taken < most_lingering_bytes;)
    taken += co_await stream_.async_read_some(asio::buffer(rest), into(error));
  close();
}

Work Connection::serve_one(bool& keep) {
  keep = false;
  error_code error;
  http::request_parser<http::string_body> parser;
  parser.header_limit(options_.most_header_bytes);
  parser.body_limit(options_.most_body_bytes);
  stream_.expires_after(options_.header_time);
  co_await http::async_read_header(stream_, buffer_, parser, into(error));
  if (error == http::error::header_limit) co_return co_await refuse(431, "the head of the request is too large\n");
  if (error == http::error::body_limit) co_return co_await refuse(413, "the body of the request is too large\n");
  if (error == http::error::end_of_stream || error == beast::error::timeout) co_return;
  if (error) {
    if (error.category() == make_error_code(http::error::end_of_stream).category())
      co_await refuse(400, "this is no HTTP request\n");
    co_return;
  }
  const auto& head = parser.get();
  // Two lengths, or a length and chunks, mean different things to different readers.
  if (head.count(http::field::content_length) + head.count(http::field::transfer_encoding) > 1 ||
      head.count(http::field::host) > 1)
    co_return co_await refuse(400, "the request says twice where it ends, or for whom it is\n");
  if (head.count(http::field::content_encoding) != 0) co_return co_await refuse(415, "the body is encoded\n");
  if (beast::iequals(head[http::field::expect], "100-continue")) {
    http::response<http::empty_body> go_on(http::status::continue_, 11);
    co_await http::async_write(stream_, go_on, into(error));
  }
  stream_.expires_after(options_.body_time);
  co_await http::async_read(stream_, buffer_, parser, into(error));
  if (error == http::error::body_limit) co_return co_await refuse(413, "the body of the request is too large\n");
  if (error) co_return;
  stream_.expires_never();

  http_1_0_ = head.version() < 11;
  keep = head.keep_alive();
  HttpRequest request{
      std::string(head.method_string()), std::string(head.target()), {}, std::move(parser.get().body())};
  for (const auto& field : head) {
    std::string name(field.name_string());
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    request.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  reply_.reset();
  events_.clear();
  stream_headers.clear();
  waiting_bytes_ = 0;
  streaming_ = ended_ = gone_ = may_become_stream = false;
  ++load_.answering;
  app_.handle(request, shared_from_this());
  request = {};
  co_await answer(keep);
  --load_.answering;
}

// Waits for the reply or for the first event; notices a client that goes away meanwhile.
Work Connection::answer(bool& keep) {
  if (!reply_ && !watching_) {
    watching_ = true;
    asio::co_spawn(
        stream_.get_executor(), [self = shared_from_this()] { return self->watch(); }, asio::detached);
  }
  error_code error;
  while (!reply_ && !streaming_ && !ended_ && !gone_) {
    wake_.expires_after(quiet_before_stream);
    co_await wake_.async_wait(into(error));
    if (!error && may_become_stream) streaming_ = true;
  }
  if (gone_ || (streaming_ && http_1_0_)) {
    keep = false;
    app_.gone(shared_from_this());
    co_return;
  }
  if (streaming_ || !reply_) {
    keep = false;
    co_await stream();
    co_return;
  }
  stream_.expires_after(options_.write_time);
  auto response = response_of(std::move(*reply_), keep);
  co_await http::async_write(stream_, response, into(error));
  keep = keep && !error;
}

Work Connection::write(std::string text, error_code& error) {
  stream_.expires_after(options_.write_time);
  co_await asio::async_write(stream_, http::make_chunk(asio::buffer(text)), into(error));
}

Work Connection::stream() {
  http::response<http::empty_body> head(http::status::ok, 11);
  head.set(http::field::content_type, "text/event-stream");
  head.set(http::field::cache_control, "no-store");
  head.set("X-Accel-Buffering", "no");  // proxies would hold events back
  for (const auto& [name, value] : stream_headers) head.set(name, value);
  head.keep_alive(false);
  head.chunked(true);
  http::response_serializer<http::empty_body> serializer(head);
  error_code error;
  stream_.expires_after(options_.write_time);
  co_await http::async_write_header(stream_, serializer, into(error));
  while (!error && !gone_) {
    if (!events_.empty()) {
      std::string text = std::move(events_.front());
      events_.pop_front();
      waiting_bytes_ -= text.size();
      co_await write(std::move(text), error);
    } else if (ended_) {
      co_await asio::async_write(stream_, http::make_chunk_last(), into(error));
      break;
    } else {
      stream_.expires_never();
      wake_.expires_after(options_.keep_alive);
      error_code woken;
      co_await wake_.async_wait(into(woken));
      if (!woken && events_.empty() && !ended_) co_await write(":\n\n", error);
    }
  }
  if (error || gone_) app_.gone(shared_from_this());
}

// Notices the end of the connection without taking anything that the client may have sent ahead.
Work Connection::watch() {
  error_code error;
  co_await stream_.socket().async_wait(tcp::socket::wait_read, into(error));
  watching_ = false;
  char byte = 0;
  if (!error) {
    const std::size_t n = stream_.socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
    // The next request, or it has been read already.
    if ((!error && n > 0) || error == asio::error::would_block) co_return;
  }
  gone_ = true;
  wake_.cancel();
}

class Server {
 public:
  Server(mcp::Backend& backend, HttpOptions options)
      : options_(std::move(options)),
        acceptor_(context_),
        signals_(context_),
        timer_(context_),
        app_(backend, options_.app, [this](std::function<void()> event) { asio::post(context_, std::move(event)); }) {
    app_.owner_metrics = [this] { return metrics(); };
  }

  Result<void> listen();
  void run() { context_.run(); }

 private:
  Work accept();
  Work wait_for_end();
  std::string metrics() const;

  const HttpOptions options_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::posix::stream_descriptor signals_;
  asio::steady_timer timer_;
  Load load_;
  std::uint64_t refused_ = 0;
  HttpApp app_;
};

Result<void> Server::listen() {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(options_.address, error);
  if (error) return fail("bad_value", "is no IP address", "listen " + options_.address);
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fail("system", "can't listen: " + error.message(),
                "listen " + options_.address + ":" + std::to_string(options_.port));
  const std::string host = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  if (options_.listening)
    options_.listening("http://" + host + ":" + std::to_string(acceptor_.local_endpoint().port()) + "/mcp");
  asio::co_spawn(context_, accept(), asio::detached);
  asio::co_spawn(context_, wait_for_end(), asio::detached);
  return {};
}

Work Server::accept() {
  while (acceptor_.is_open()) {
    error_code error;
    tcp::socket socket = co_await acceptor_.async_accept(into(error));
    if (error) {
      if (!acceptor_.is_open()) co_return;
      // No descriptor is left, most likely: others have to end first.
      asio::steady_timer pause(context_, std::chrono::milliseconds(50));
      co_await pause.async_wait(into(error));
      continue;
    }
    if (load_.connections >= options_.most_connections) {
      ++refused_;
      continue;
    }
    socket.set_option(tcp::no_delay(true), error);
    socket.non_blocking(true, error);  // looking ahead must never wait
    auto connection = std::make_shared<Connection>(std::move(socket), app_, options_, load_);
    asio::co_spawn(
        context_, [connection] { return connection->run(); }, asio::detached);
  }
}

Work Server::wait_for_end() {
  error_code error;
  signals_.assign(::dup(os::cancel_on_signals().fd()), error);
  if (!error) co_await signals_.async_wait(asio::posix::stream_descriptor::wait_read, into(error));
  acceptor_.close(error);
  app_.shut_down();
  // Clients hear how their runs ended, if they listen.
  for (int i = 0; i < 100 && (!app_.is_idle() || load_.answering > 0); ++i) {
    timer_.expires_after(time_to_end / 100);
    co_await timer_.async_wait(into(error));
  }
  context_.stop();
}

std::string Server::metrics() const {
  return "# HELP cocoon_http_connections Connections that are open.\n# TYPE cocoon_http_connections gauge\n"
         "cocoon_http_connections " +
         std::to_string(load_.connections) +
         "\n# HELP cocoon_http_connections_refused_total Connections beyond the limit.\n"
         "# TYPE cocoon_http_connections_refused_total counter\ncocoon_http_connections_refused_total " +
         std::to_string(refused_) + "\n";
}

}  // namespace

Result<bool> is_loopback_address(const std::string& address) {
  error_code error;
  const asio::ip::address parsed = asio::ip::make_address(address, error);
  if (error) return fail("bad_value", "is no IP address", "listen " + address, "127.0.0.1:8080, or [::1]:8080");
  return parsed.is_loopback();
}

Result<void> serve_http(mcp::Backend& backend, HttpOptions options) {
  Server server(backend, std::move(options));
  if (Result<void> listening = server.listen(); !listening) return listening;
  server.run();
  return {};
}

}  // namespace cocoon::transport
