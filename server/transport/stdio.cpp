// One thread owns the protocol: it reads messages and hears of what became of works; works and writing have threads of
// their own, so that neither a long run nor a slow reader holds up anything else.
#include "transport/stdio.hpp"

#include "host/log.hpp"
#include "host/os/channel.hpp"
#include "host/os/signals.hpp"
#include "mcp/protocol.hpp"
#include "transport/line_reader.hpp"
#include "transport/line_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <utility>

namespace cocoon::transport {
namespace {

using mcp::Effects;

constexpr int exit_failed = 125;
// More than this waits to be read by the client: no new message is taken until it has caught up.
constexpr std::size_t enough_waiting = 8U << 20U;
// Progress is news; what a client is too slow for is not worth keeping.
constexpr std::size_t too_much_for_progress = 1U << 20U;
// All is over within a second of the input's end; whatever does not end by itself until then ends with the process.
constexpr std::chrono::milliseconds time_to_write{200};
constexpr std::chrono::milliseconds time_to_end{700};

class StdioServer : public Events {
 public:
  StdioServer(mcp::Backend& backend, const StdioOptions& options, os::Channel channel)
      : options_(options),
        channel_(channel),
        protocol_(backend.catalog(), calls_),
        writer_(channel.out),
        reader_(options.longest_message),
        dispatcher_(backend, *this, options.limits) {}

  // Returns when it is time to end.
  void serve();
  void end();

  void progress(std::uint64_t call, double value, std::optional<double> total, std::string message) override {
    if (writer_.waiting_bytes() > too_much_for_progress) return;
    post(
        [this, call, value, total, text = std::move(message)] { apply(protocol_.progress(call, value, total, text)); });
  }
  void log(std::uint64_t call, std::string level, mcp::Json data) override {
    if (writer_.waiting_bytes() > too_much_for_progress) return;
    post([this, call, name = std::move(level), value = std::move(data)] { apply(protocol_.log(call, name, value)); });
  }
  void finished(std::uint64_t call, mcp::Reply reply) override {
    post([this, call, end = std::move(reply)]() mutable { apply(protocol_.finish(call, std::move(end))); });
  }

 private:
  void post(std::function<void()> event);
  void handle_posted();
  bool read();
  void apply(Effects effects);

  const StdioOptions options_;
  const os::Channel channel_;
  std::uint64_t calls_ = 0;
  mcp::Protocol protocol_;
  LineWriter writer_;
  LineReader reader_;

  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::array<int, 2> wake_ = {-1, -1};
  bool woken_ = false;
  bool ended_ = false;

  Dispatcher dispatcher_;  // last: its threads use everything above
};

void StdioServer::post(std::function<void()> event) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  posted_.push_back(std::move(event));
  if (woken_ || wake_[1] < 0) return;
  woken_ = ::write(wake_[1], "", 1) == 1;
}

void StdioServer::handle_posted() {
  std::vector<std::function<void()>> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(posted_);
    char byte = 0;
    // The byte is there: nobody waits. NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
    if (woken_ && ::read(wake_[0], &byte, 1) == 1) woken_ = false;
  }
  for (const auto& event : events) event();
}

void StdioServer::apply(Effects effects) {
  for (const std::uint64_t call : effects.cancel) dispatcher_.cancel(call);
  for (mcp::Outgoing& message : effects.send) writer_.write(std::move(message.text));
  for (mcp::Work& work : effects.start) {
    work.caller = "stdio";
    dispatcher_.start(std::move(work));
  }
}

// Whether there may be more to come.
bool StdioServer::read() {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(channel_.in, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  std::size_t too_long = 0;
  for (const std::string& line : reader_.take({buffer.data(), static_cast<std::size_t>(n)}, too_long))
    apply(protocol_.receive(line));
  for (; too_long > 0; --too_long) {
    const mcp::RpcError error{
        mcp::code_parse, "the message is longer than " + std::to_string(options_.longest_message) + " bytes", {}};
    writer_.write(mcp::to_text(mcp::error_message(nullptr, error)));
  }
  return true;
}

void StdioServer::serve() {
  if (::pipe2(wake_.data(), O_CLOEXEC) != 0) return;
  const int signals = os::cancel_on_signals().fd();
  const int parent = os::parent_end_fd();
  while (!writer_.is_broken()) {
    const bool is_full = writer_.waiting_bytes() > enough_waiting;
    std::array<pollfd, 4> fds = {pollfd{channel_.in, static_cast<short>(is_full ? 0 : POLLIN), 0},
                                 pollfd{wake_[0], POLLIN, 0}, pollfd{signals, POLLIN, 0}, pollfd{parent, POLLIN, 0}};
    // While the client does not read, its catching up is the one thing that nothing tells us about.
    if (::poll(fds.data(), fds.size(), is_full ? 50 : -1) < 0 && errno != EINTR) return;
    if (fds[2].revents != 0 || fds[3].revents != 0) return;
    if (fds[1].revents != 0) handle_posted();
    if (fds[0].revents != 0 && (is_full || !read())) return;
  }
}

void StdioServer::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    posted_.clear();
  }
  apply(protocol_.close());
  dispatcher_.cancel_all();
  writer_.flush(time_to_write);
  const auto deadline = std::chrono::steady_clock::now() + time_to_end;
  while (dispatcher_.running() > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

void serve_stdio(mcp::Backend& backend, const StdioOptions& options) {
  const Result<os::Channel> channel = os::take_channel();
  if (!channel) {
    log(LogLevel::error, channel.error().message);
    os::exit_now(exit_failed);
  }
  StdioServer server(backend, options, *channel);
  server.serve();
  server.end();
  os::exit_now(0);
}

}  // namespace cocoon::transport
