// "Did you mean ...?": near misses among a few names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cocoon {

// The candidate that somebody who typed name most likely meant; empty where none is close.
std::string similar_name(std::string_view name, std::span<const std::string> candidates);

// A hint for people: `did you mean "python"?`, or a list of the candidates where none is close. Empty without any.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace cocoon
