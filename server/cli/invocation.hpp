// The command line of run, exec and plan as a Request: flags come from the same table as every other front end's.
#pragma once

#include "cli/common.hpp"
#include "cli/console.hpp"
#include "plan/request.hpp"

#include <cocoon/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cocoon::cli {

struct Invocation {
  Request request;
  Common common;
  std::string stdin_from;  // a file, or "-" for our own standard input; empty: the guest reads nothing
};

// What a subcommand takes to run.
enum class Takes : std::uint8_t {
  one,       // a command, a runtime with code or a file, or a bundle
  bundle,    // nothing but a bundle
  pipeline,  // nothing but steps
  any,
};

class InvocationReader {
 public:
  InvocationReader(std::string_view command, Takes takes, std::string json_help);
  InvocationReader(const InvocationReader&) = delete;
  InvocationReader& operator=(const InvocationReader&) = delete;

  // Flags of one subcommand's own. Before read().
  void add(Flag flag) { flags_.push_back(std::move(flag)); }

  Result<Invocation> read(std::span<const std::string> arguments);

  // The exit code for read()'s Error: whether the command line is at fault, or the bundle that it names.
  int error_exit() const { return error_exit_; }

  int help() const;

 private:
  void add_field_flags();
  void add_step_flags();
  Result<void> read_words(Words& words);
  Result<void> read_steps(const Words& words);
  Result<void> read_bundle(const std::string& folder);
  Result<void> read_pipeline(const std::string& file);

  std::string_view command_;
  Takes takes_;
  Invocation invocation_;
  std::vector<Flag> flags_;
  bool runtime_given_ = false;
  std::vector<Request> steps_;
  int error_exit_ = kExitUsage;
  struct Assignment {
    const Field* field;
    std::string value;
    std::string where;
  };
  std::vector<Assignment> assignments_;  // made once a bundle's own settings are there to be overridden
};

}  // namespace cocoon::cli
