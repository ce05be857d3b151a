// TOML files: as a tree that knows its lines, and as the JSON that stands for the same.
#pragma once

#include <cocoon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

struct TomlNode {
  enum class Kind : std::uint8_t { table, list, text, integer, number, flag, other };  // other: dates and times

  Kind kind = Kind::table;
  std::string key;              // of a table's member
  std::vector<TomlNode> items;  // of a table or list
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  bool flag = false;
  std::size_t line = 0;  // from 1
};

// Errors carry "line N" in where. Thread-safe.
Result<TomlNode> parse_toml(std::string_view text);

// Likewise; what is neither text, a number from 0, true or false, list nor table has nothing that stands for it.
Result<std::string> toml_to_json(std::string_view text);

}  // namespace cocoon
