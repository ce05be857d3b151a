// The JSON writer against the library that it does without: the same text for whatever it is given.
#include <cocoon/json_writer.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <random>

namespace cocoon::json {
namespace {

using Json = nlohmann::ordered_json;

std::string written(std::string_view value) {
  Writer writer(-1);
  writer.text(value);
  return writer.take();
}

std::string by_library(const std::string& value) {
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

TEST(JsonWriter, QuotesEverySingleByteAndPair) {
  for (int first = 0; first < 256; ++first) {
    EXPECT_EQ(written(std::string(1, static_cast<char>(first))), by_library(std::string(1, static_cast<char>(first))));
    for (int second = 0; second < 256; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      EXPECT_EQ(Json::parse(written(pair)), Json::parse(by_library(pair))) << first << " " << second;
    }
  }
}

// Bytes that are likely to form broken, overlong and surrogate sequences.
TEST(JsonWriter, WritesValidUtf8OutOfAnything) {
  constexpr unsigned char bytes[] = {'a',  '"',  '\\', '\n', 0x00, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2,
                                     0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff, 0x82, 0xac, 0x90};
  std::mt19937 random(1);  // the same texts every time
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t length = random() % 12; length > 0; --length)
      text += static_cast<char>(bytes[random() % std::size(bytes)]);
    ASSERT_TRUE(Json::accept(written(text)));
    ASSERT_EQ(written(text), by_library(text));
  }
}

TEST(JsonWriter, ReplacesABrokenCharacterOnce) {
  EXPECT_EQ(written("\xe2\x82"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(written("\xf0\x9f\x92x"), "\"\xef\xbf\xbdx\"");
  EXPECT_EQ(written("\xe2\x82\xac"), "\"\xe2\x82\xac\"");
  EXPECT_EQ(written("\xff\xff"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(written("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonWriter, LaysOutLikeTheLibrary) {
  const Json json = Json::parse(R"({"a":[],"b":{},"c":[1,-2,"x",[true,false]],"d":{"e":{"f":18446744073709551615}}})");
  for (const int indent : {-1, 0, 1, 4}) {
    Writer writer(indent);
    writer.begin_object();
    writer.key("a");
    writer.begin_list();
    writer.end_list();
    writer.key("b");
    writer.begin_object();
    writer.end_object();
    writer.key("c");
    writer.begin_list();
    writer.number(std::uint64_t{1});
    writer.number(std::int64_t{-2});
    writer.text("x");
    writer.begin_list();
    writer.boolean(true);
    writer.boolean(false);
    writer.end_list();
    writer.end_list();
    writer.key("d");
    writer.begin_object();
    writer.key("e");
    writer.begin_object();
    writer.put("f", std::numeric_limits<std::uint64_t>::max());
    writer.end_object();
    writer.end_object();
    writer.end_object();
    EXPECT_EQ(writer.take(), json.dump(indent));
  }
}

TEST(JsonWriter, WritesMillisecondsInThreeDigits) {
  const auto text = [](double value) {
    Writer writer(-1);
    writer.milliseconds(value);
    return writer.take();
  };
  EXPECT_EQ(text(0), "0.0");
  EXPECT_EQ(text(-0.5), "0.0");
  EXPECT_EQ(text(0.0004), "0.0");
  EXPECT_EQ(text(0.0005), "0.001");
  EXPECT_EQ(text(1.9996), "2.0");
  EXPECT_EQ(text(184.25), "184.25");
  EXPECT_EQ(text(1e9), "1000000000.0");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "0.0");
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "0.0");
  EXPECT_EQ(text(1e300), "9000000000000.0");
}

TEST(JsonWriter, KeepsTheLastOfARepeatedName) {
  Writer writer(-1);
  writer.pairs({{"a", "1"}, {"b", "2"}, {"a", "3"}});
  EXPECT_EQ(writer.take(), R"({"b":"2","a":"3"})");
}

}  // namespace
}  // namespace cocoon::json
