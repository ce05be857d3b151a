// The command line of run, exec and plan as a Request: flags come from the same table as every other front end's.
#pragma once

#include "cli/common.hpp"
#include "cli/console.hpp"
#include "plan/request.hpp"

#include <cocoon/result.hpp>

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

class InvocationReader {
 public:
  // bundle_only: the command takes a bundle folder and nothing else to run.
  InvocationReader(std::string_view command, bool bundle_only, std::string json_help);
  InvocationReader(const InvocationReader&) = delete;
  InvocationReader& operator=(const InvocationReader&) = delete;

  // Flags of one subcommand's own. Before read().
  void add(Flag flag) { flags_.push_back(std::move(flag)); }

  Result<Invocation> read(std::span<const std::string> arguments);

  // The exit code for read()'s Error: whether the command line is at fault, or the bundle that it names.
  int error_exit() const { return error_exit_; }

  int help() const;

 private:
  Result<void> read_words(Words& words);
  Result<void> read_bundle(const std::string& folder);

  std::string_view command_;
  bool bundle_only_;
  Invocation invocation_;
  std::vector<Flag> flags_;
  bool runtime_given_ = false;
  int error_exit_ = kExitUsage;
  struct Assignment {
    const Field* field;
    std::string value;
    std::string where;
  };
  std::vector<Assignment> assignments_;  // made once a bundle's own settings are there to be overridden
};

}  // namespace cocoon::cli
