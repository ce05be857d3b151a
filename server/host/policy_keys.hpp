// The keys of the operator's policy: one table for its file, the servers' flags, and what agents are told of it.
#pragma once

#include "host/policy.hpp"

#include <cocoon/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cocoon {

// How a key is written in the file. On the command line each is a text, and a list is a flag that is repeated.
enum class PolicyType : std::uint8_t { text, texts, flag, count, size, duration };

// yes or no, a number in the key's unit, a text, or texts.
using PolicyValue = std::variant<bool, double, std::string, std::vector<std::string>>;

struct PolicyKey {
  std::string_view section;  // of the file; empty: none
  std::string_view name;
  PolicyType type;
  std::string_view flag;     // empty: it is in the file only
  std::string_view metavar;  // of the flag
  std::string_view help;     // one sentence
  std::string_view told;     // key of the JSON that agents get; empty: what they get is made otherwise
  std::string_view title;    // of the line that they read; empty: they are not told at all
  std::string_view unit;     // of a number
  std::string_view none;     // what an empty list means, in words
  // Sets the value, or adds to the list that clear has emptied. where is for errors.
  Result<void> (*set)(OperatorPolicy&, std::string_view value, std::string_view where);
  void (*clear)(OperatorPolicy&);
  PolicyValue (*get)(const OperatorPolicy&);

  std::string text(const OperatorPolicy& policy) const;  // the value in words: "600 s", "python, bash", "yes"
};

std::span<const PolicyKey> policy_keys();

}  // namespace cocoon
