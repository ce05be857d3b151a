// Durations and sizes as people write them.
#include "plan/request.hpp"

#include <gtest/gtest.h>

namespace cocoon {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

std::string duration(std::string_view text) {
  const auto ms = parse_duration_ms(text, "--timeout");
  return ms ? std::to_string(*ms) : ms.error().code + " " + ms.error().where;
}

std::string size(std::string_view text) {
  const auto bytes = parse_size(text, mib, "--mem");
  return bytes ? std::to_string(*bytes) : bytes.error().code + " " + bytes.error().where;
}

TEST(Duration, CountsSecondsWhereNoUnitIsGiven) {
  EXPECT_EQ(duration("5"), "5000");
  EXPECT_EQ(duration("500ms"), "500");
  EXPECT_EQ(duration("5s"), "5000");
  EXPECT_EQ(duration("2m"), "120000");
  EXPECT_EQ(duration("1h"), "3600000");
  EXPECT_EQ(duration("1d"), "86400000");
  EXPECT_EQ(duration("0.5"), "500");
  EXPECT_EQ(duration("1.5m"), "90000");
  EXPECT_EQ(duration("0.001"), "1");
}

TEST(Duration, RefusesEverythingElse) {
  for (const std::string_view text : {"",
                                      "0",
                                      "0ms",
                                      "0.0s",
                                      "-5",
                                      "+5",
                                      " 5",
                                      "5 ",
                                      "5 s",
                                      "ms",
                                      "s",
                                      ".",
                                      ".5",
                                      "5.",
                                      "1.2.3",
                                      "5x",
                                      "5S",
                                      "0x5",
                                      "1e3",
                                      "five",
                                      "0.0001",
                                      "0.5ms",
                                      "1000000000",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "99999999999999999999999999",
                                      "18446744073709551615h",
                                      "0.1234567"})
    EXPECT_EQ(duration(text), "bad_value --timeout") << text;
}

TEST(Size, CountsTheCallersUnitWhereNoneIsGiven) {
  EXPECT_EQ(size("1"), std::to_string(mib));
  EXPECT_EQ(size("128M"), std::to_string(128 * mib));
  EXPECT_EQ(size("128MB"), std::to_string(128 * mib));
  EXPECT_EQ(size("128MiB"), std::to_string(128 * mib));
  EXPECT_EQ(size("128mib"), std::to_string(128 * mib));
  EXPECT_EQ(size("64K"), "65536");
  EXPECT_EQ(size("1G"), std::to_string(1024 * mib));
  EXPECT_EQ(size("1.5G"), std::to_string(1536 * mib));
  EXPECT_EQ(size("2T"), std::to_string(2 * mib * mib));
  EXPECT_EQ(size("7B"), "7");
  EXPECT_EQ(size("0"), "0");
}

TEST(Size, RefusesEverythingElse) {
  for (const std::string_view text : {"", "M", "-1M", "1 M", "1X", "1Mi", "1BB", "1P", "0x10", "1e3", "1.M", ".5M",
                                      "0.3B", "18446744073709551616", "18446744073709551615M", "17592186044416T"})
    EXPECT_EQ(size(text), "bad_value --mem") << text;
}

}  // namespace
}  // namespace cocoon
