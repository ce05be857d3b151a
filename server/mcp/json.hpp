// JSON as the protocol layer handles it: the one header of the project that brings the JSON library to others.
#pragma once

#include <cocoon/result.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace cocoon::mcp {

using Json = nlohmann::ordered_json;

// Refuses malformed text, invalid UTF-8, repeated keys, more than 64 levels and more than 65,536 values.
Result<Json> parse_json(std::string_view text);

// One line of valid UTF-8: what is not UTF-8 in it becomes U+FFFD.
std::string to_text(const Json& json);

// The member of that name; NULL where json is no object or has none.
const Json* find(const Json& json, std::string_view name);

// The text of a member; empty where it is absent or not a string.
std::string text_of(const Json& json, std::string_view name);

}  // namespace cocoon::mcp
