// Helper programs on POSIX systems. The one file that knows Boost.Process: it takes long to compile.
#include "host/os/child.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/process/args.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
#include <boost/process/start_dir.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

namespace cocoon::os {
namespace {

namespace process = boost::process;
using Clock = std::chrono::steady_clock;

// One of the child's outputs, read until it ends or is too long.
struct Output {
  explicit Output(boost::asio::io_context& context) : pipe(context) {
    // Boost's pipes are inheritable; another child, started by another thread, would hold them open.
    for (const int end : {pipe.native_source(), pipe.native_sink()}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }

  void read(std::size_t max_bytes, boost::asio::io_context& context) {
    pipe.async_read_some(boost::asio::buffer(buffer),
                         [this, max_bytes, &context](const boost::system::error_code& error, std::size_t n) {
                           text.append(buffer.data(), n);
                           if (text.size() > max_bytes) {
                             too_long = true;
                             context.stop();
                           } else if (!error) {
                             read(max_bytes, context);
                           }
                         });
  }

  process::async_pipe pipe;
  std::array<char, 4096> buffer{};
  std::string text;
  bool too_long = false;
};

// Waits without SIGCHLD: handling it would take it from the program that embeds us.
bool wait_until(pid_t pid, Clock::time_point deadline, int& status) {
  for (std::chrono::microseconds pause{100};; pause = std::min(pause * 2, std::chrono::microseconds{10'000})) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

Result<ChildOutput> run_child(const std::vector<std::string>& argv, const Environment& environment,
                              const std::string& folder, std::chrono::milliseconds timeout, std::size_t max_bytes) {
  const Clock::time_point deadline = Clock::now() + timeout;
  boost::asio::io_context context;
  Output out(context);
  Output complaint(context);
  process::group group;
  process::environment variables;
  for (const auto& [name, value] : environment) variables[name] = value;
  std::error_code failed;
  process::child child(
      process::exe = argv.front(), process::args = std::vector<std::string>(argv.begin() + 1, argv.end()),
      process::start_dir = folder, variables, process::std_in<process::null, process::std_out> out.pipe,
      process::std_err > complaint.pipe, group, failed);
  if (failed) return fail("system", "does not start: " + failed.message(), argv.front());
  const pid_t pid = child.id();
  child.detach();
  group.detach();

  out.read(max_bytes, context);
  complaint.read(max_bytes, context);
  context.run_until(deadline);
  int status = 0;
  const bool ended = !out.too_long && !complaint.too_long && wait_until(pid, deadline, status);
  ::kill(-pid, SIGKILL);  // also what it left behind
  if (!ended) ::waitpid(pid, &status, 0);
  if (out.too_long || complaint.too_long) {
    return fail("too_large", "wrote more than " + std::to_string(max_bytes) + " bytes", argv.front());
  }
  if (!ended) {
    return fail("timed_out", "did not end within " + std::to_string(timeout.count()) + " ms", argv.front());
  }
  return ChildOutput{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), std::move(out.text),
                     std::move(complaint.text)};
}

}  // namespace cocoon::os
