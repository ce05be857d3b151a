// Passing output on, and the reasons to cancel.
#include "cli/guest_io.hpp"

#include "host/os/standard_fds.hpp"

namespace cocoon::cli {

GuestIo::GuestIo() : out_(os::kStdout), err_(os::kStderr), cancel_(os::cancel_on_signals()) {}

GuestIo::~GuestIo() {
  if (close_stdin_) os::close_fd(stdin_fd_);
}

Result<void> GuestIo::open_stdin(const std::string& from) {
  if (from.empty()) return {};
  if (from == "-") {
    stdin_fd_ = os::kStdin;
    return {};
  }
  const Result<int> fd = os::open_for_reading(from);
  if (!fd) return fail("path_missing", fd.error().message, "--stdin " + from);
  stdin_fd_ = *fd;
  close_stdin_ = true;
  return {};
}

size_t GuestIo::take(void* ctx, int32_t stream, const char* data, size_t len) noexcept {
  GuestIo& io = *static_cast<GuestIo*>(ctx);
  size_t taken = 0;
  try {
    taken = (stream == COCOON_STDERR ? io.err_ : io.out_).write({data, len});
  } catch (...) {  // no memory to keep it; the driver offers it again
    return 0;
  }
  // As a shell's own pipelines end: `cocoon run ... | head -1` has no use for the rest.
  if (stream == COCOON_STDOUT && io.out_.reader_gone()) io.cancel_.set();
  return taken;
}

void GuestIo::step(void* ctx, std::uint32_t index, cocoon_str outcome_json) noexcept {
  GuestIo& io = *static_cast<GuestIo*>(ctx);
  try {
    if (io.on_step_) io.on_step_(index, {outcome_json.data, outcome_json.len});
  } catch (...) {  // a header less, for want of memory
    return;
  }
}

cocoon_run_io GuestIo::run_io(bool live) {
  cocoon_run_io io = {sizeof io, nullptr, nullptr, {-1, -1}, stdin_fd_, cancel_.fd(), nullptr};
  if (live) {
    io.ctx = this;
    io.write = &take;
    io.busy_fd[0] = out_.fd();
    io.busy_fd[1] = err_.fd();
    io.step = &step;
  }
  return io;
}

void GuestIo::flush() {
  out_.flush(cancel_.fd());
  err_.flush(cancel_.fd());
}

}  // namespace cocoon::cli
