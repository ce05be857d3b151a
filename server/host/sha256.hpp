// SHA-256, for records that must tell one text from another without holding it.
#pragma once

#include <string>
#include <string_view>

namespace cocoon {

std::string sha256_hex(std::string_view bytes);

}  // namespace cocoon
