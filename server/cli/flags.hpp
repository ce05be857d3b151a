// Command-line flags: what a subcommand accepts, and reading them. No library: CLI11, the one that was measured, brings
// iostream, which costs about 0.1 ms before main, and takes 0.06 to 0.15 ms of every run itself.
#pragma once

#include <cocoon/result.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::cli {

struct Flag {
  std::string names;    // "--timeout" or "-c,--code"
  std::string metavar;  // empty: takes no value
  std::string help;
  // where is the flag as it was written, for errors. Called in the order of the command line, once for each time.
  std::function<Result<void>(std::string_view value, std::string_view where)> set;
};

struct Words {
  std::vector<std::string> before;  // what is neither a flag nor a flag's value
  bool marked = false;              // "--" was there
  std::vector<std::string> after;   // everything behind it, or behind the word that ended the flags
};

// ends_flags is asked about each word before it is taken: once it says yes, that word and all behind it go to after.
Result<Words> read_flags(std::span<const Flag> flags, std::span<const std::string> arguments,
                         const std::function<bool()>& ends_flags);

// For subcommands without words of their own.
Result<void> read_flags_only(std::span<const Flag> flags, std::span<const std::string> arguments,
                             std::string_view where);

// The flags as aligned lines for --help.
std::string flags_help(std::span<const Flag> flags);

// "-c,--code" -> {"-c", "--code"}
std::vector<std::string> names_of(const Flag& flag);

}  // namespace cocoon::cli
