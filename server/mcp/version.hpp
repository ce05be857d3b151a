// The protocol's revisions, in order, and what came with which.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cocoon::mcp {

enum class Version : std::uint8_t { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr std::array<std::string_view, 5> version_names = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                  "2025-11-25", "2026-07-28"};

// Opened by `initialize`; from the next on, every request says by itself what it speaks.
inline constexpr Version latest_legacy = Version::v2025_11_25;
// What a request over HTTP speaks that does not say it.
inline constexpr Version assumed = Version::v2025_03_26;

inline std::string_view to_string(Version version) { return version_names[static_cast<std::size_t>(version)]; }

inline std::optional<Version> parse_version(std::string_view text) {
  for (std::size_t i = 0; i < version_names.size(); ++i)
    if (version_names[i] == text) return static_cast<Version>(i);
  return std::nullopt;
}

inline bool is_modern(Version version) { return version >= Version::v2026_07_28; }
inline bool has_batches(Version version) { return version <= Version::v2025_03_26; }
inline bool has_annotations(Version version) { return version >= Version::v2025_03_26; }  // and messages of progress
inline bool has_structured_content(Version version) {
  return version >= Version::v2025_06_18;
}  // titles and links, too

}  // namespace cocoon::mcp
