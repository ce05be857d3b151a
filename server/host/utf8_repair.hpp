// Makes valid UTF-8 of what a program wrote.
#pragma once

#include <string>
#include <string_view>

namespace cocoon {

// Every longest piece that could not become a character is replaced by U+FFFD, as browsers do it.
std::string repair_utf8(std::string_view bytes);

// Without the last character where only its beginning is there; without the rest of a first one.
std::string_view without_cut_end(std::string_view bytes);
std::string_view without_cut_start(std::string_view bytes);

}  // namespace cocoon
