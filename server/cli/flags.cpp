// Reading flags: --name VALUE, --name=VALUE, -n VALUE, -nVALUE.
#include "cli/flags.hpp"

#include "host/similar.hpp"
#include "plan/text.hpp"

#include <algorithm>

namespace cocoon::cli {
namespace {

const Flag* find(std::span<const Flag> flags, std::string_view name) {
  for (const Flag& flag : flags) {
    for (const std::string_view known : split(flag.names, ',')) {
      if (known == name) return &flag;
    }
  }
  return nullptr;
}

constexpr std::size_t kColumn = 26;  // where the help of a flag begins
constexpr std::size_t kWidth = 100;

// Broken between words, so that every line but the first begins at kColumn.
std::string wrapped(std::string_view help) {
  std::string text;
  std::size_t column = kColumn;
  while (!help.empty()) {
    const std::size_t end = std::min(help.find(' '), help.size());
    const std::string_view word = help.substr(0, end);
    if (column > kColumn && column + 1 + word.size() > kWidth) {
      text.append("\n").append(kColumn, ' ');
      column = kColumn;
    } else if (column > kColumn) {
      text += ' ';
      ++column;
    }
    text.append(word);
    column += word.size();
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return text;
}

Unexpected<Error> unknown(std::span<const Flag> flags, std::string_view name) {
  std::vector<std::string> candidates;
  for (const Flag& flag : flags) {
    for (std::string& known : names_of(flag)) {
      if (known.starts_with("--")) candidates.push_back(std::move(known));
    }
  }
  const std::string close = similar_name(name, candidates);
  return fail(
      "usage", "there is no such option", std::string(name),
      close.empty() ? "--help lists them; what follows \"--\" is left to the command" : "did you mean " + close + "?");
}

}  // namespace

std::vector<std::string> names_of(const Flag& flag) {
  const auto names = split(flag.names, ',');
  return {names.begin(), names.end()};
}

Result<Words> read_flags(std::span<const Flag> flags, std::span<const std::string> arguments,
                         const std::function<bool()>& ends_flags) {
  Words words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") {
      words.marked = true;
      words.after.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      return words;
    }
    if (argument.size() < 2 || argument[0] != '-') {  // "-" alone is a word
      if (ends_flags()) {
        words.after.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
        return words;
      }
      words.before.emplace_back(argument);
      continue;
    }
    // A short name is one letter, and a value may be glued to it.
    const bool is_long = argument[1] == '-';
    const std::size_t name_end = is_long ? std::min(argument.find('='), argument.size()) : 2;
    const std::string_view name = argument.substr(0, name_end);
    const Flag* flag = find(flags, name);
    if (flag == nullptr) return unknown(flags, is_long ? name : argument);
    const bool has_value = name_end < argument.size();
    std::string_view value = argument.substr(std::min(name_end + (is_long ? 1 : 0), argument.size()));
    if (flag->metavar.empty() && has_value) return fail("usage", "takes no value", std::string(name));
    if (!flag->metavar.empty() && !has_value) {
      if (i + 1 == arguments.size()) return fail("usage", "needs a value: " + flag->metavar, std::string(name));
      value = arguments[++i];
      if (value.starts_with("--") && (value == "--" || find(flags, value) != nullptr)) {
        return fail("usage", "needs a value: " + flag->metavar + ", but " + std::string(value) + " follows",
                    std::string(name),
                    "if that is the value, write " + std::string(name) + (is_long ? "=" : "") + std::string(value));
      }
    }
    if (Result<void> set = flag->set(value, name); !set) return Unexpected<Error>{set.error()};
  }
  return words;
}

Result<void> read_flags_only(std::span<const Flag> flags, std::span<const std::string> arguments,
                             std::string_view where) {
  const Result<Words> words = read_flags(flags, arguments, [] { return false; });
  if (!words) return Unexpected<Error>{words.error()};
  if (!words->before.empty()) return fail("usage", "unexpected", words->before[0]);
  if (words->marked) return fail("usage", "takes no command", std::string(where));
  return {};
}

std::string flags_help(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) {
    std::string left = "  ";
    for (const std::string& name : names_of(flag)) left.append(left.size() > 2 ? ", " : "").append(name);
    if (!flag.metavar.empty()) left.append(" ").append(flag.metavar);
    if (left.size() + 2 > kColumn) {
      text.append(left).append("\n");
      left.clear();
    }
    left.resize(kColumn, ' ');
    text.append(left).append(wrapped(flag.help)).append("\n");
  }
  return text;
}

}  // namespace cocoon::cli
