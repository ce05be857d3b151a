// The guest's streams on the command line: its output goes straight to ours, its input comes from a file or from ours.
#pragma once

#include "host/os/signals.hpp"
#include "host/os/stream.hpp"

#include <cocoon/abi.h>
#include <cocoon/result.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

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

  // Of a plan with several stages: called as cocoon_run_io::step is. Before run_io.
  using OnStep = std::function<void(std::uint32_t index, std::string_view outcome_json)>;
  void on_step(OnStep on_step) { on_step_ = std::move(on_step); }

  // Puts text of our own between what the guest writes to its standard error.
  void say(std::string_view text) { err_.write(text); }

  // After the run: what the reader was not ready for yet.
  void flush();

  bool reader_gone() const { return out_.reader_gone(); }
  int output_error() const { return out_.error(); }  // as OutputStream's
  int cancel_fd() const { return cancel_.fd(); }

 private:
  static void step(void* ctx, std::uint32_t index, cocoon_str outcome_json) noexcept;
  static size_t take(void* ctx, int32_t stream, const char* data, size_t len) noexcept;

  os::OutputStream out_;
  os::OutputStream err_;
  const os::Event& cancel_;
  int stdin_fd_ = -1;
  bool close_stdin_ = false;
  OnStep on_step_;
};

}  // namespace cocoon::cli
