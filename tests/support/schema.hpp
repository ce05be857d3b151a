// JSON Schema, as much of draft 2020-12 as the published schemas use. A keyword that it does not know is an error, so
// that no schema can say something that is not checked.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace cocoon::test {

// Empty where value fits schema; otherwise what does not. root is where "#/..." references lead to.
std::string validate(const nlohmann::json& schema, const nlohmann::json& value, const nlohmann::json& root);
inline std::string validate(const nlohmann::json& schema, const nlohmann::json& value) {
  return validate(schema, value, schema);
}

}  // namespace cocoon::test
