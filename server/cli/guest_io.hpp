// The guest's streams on the command line: its output goes straight to ours, its input comes from a file or from ours.
#pragma once

#include "host/os/signals.hpp"
#include "host/os/stream.hpp"

#include <cocoon/abi.h>
#include <cocoon/result.hpp>

#include <string>

namespace cocoon::cli {

class GuestIo {
 public:
  GuestIo();
  ~GuestIo();
  GuestIo(const GuestIo&) = delete;
  GuestIo& operator=(const GuestIo&) = delete;

  // from is a file or "-"; empty: no input.
  Result<void> open_stdin(const std::string& from);

  // Signals cancel the run, and so does the end of whoever reads our standard output. live: output is passed on.
  cocoon_run_io run_io(bool live);

  // After the run: what the reader was not ready for yet.
  void flush();

  bool reader_gone() const { return out_.reader_gone(); }
  int output_error() const { return out_.error(); }  // as OutputStream's
  int cancel_fd() const { return cancel_.fd(); }

 private:
  static size_t take(void* ctx, int32_t stream, const char* data, size_t len) noexcept;

  os::OutputStream out_;
  os::OutputStream err_;
  const os::Event& cancel_;
  int stdin_fd_ = -1;
  bool close_stdin_ = false;
};

}  // namespace cocoon::cli
