// The strict JSON reader: what it refuses, and that the error names the place.
#include "json_quick.hpp"
#include "json_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace cocoon::json {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// Whether and how two values differ, whole trees.
bool same(const Value& a, const Value& b) {
  const auto same_member = [](const Member& x, const Member& y) { return x.key == y.key && same(x.value, y.value); };
  return a.kind == b.kind && a.boolean == b.boolean && a.integer == b.integer && a.negative == b.negative &&
         a.number == b.number && a.text == b.text &&
         std::equal(a.list.begin(), a.list.end(), b.list.begin(), b.list.end(), same) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_member);
}

// White space before a text sends it to the full parser, which is the measure of what the quick one may say.
void expect_quick_agrees(const std::string& text, bool is_quick) {
  const std::optional<Value> quick = parse_quickly(text);
  const auto full = parse(" " + text, "text");
  EXPECT_EQ(quick.has_value(), is_quick) << text;
  if (!quick) return;
  ASSERT_TRUE(full) << text;
  EXPECT_TRUE(same(*quick, *full)) << text;
}

TEST(JsonQuick, ReadsWhatOurProgramsWriteAsTheFullParserDoes) {
  for (const char* text : {"{}", "[]", "0", "15", "999999999999999", "true", "false", "null", R"("")", R"("a b")",
                           R"("\"\\\/\n\t\r")", "0.5", "12.345", "100000000.123456", "0.000001",
                           R"({"a":{"b":[1,{"c":[]}],"d":"x"},"e":false})", R"([[],{},[null,true],"x",1.25])"})
    expect_quick_agrees(text, true);
}

TEST(JsonQuick, LeavesEverythingElseToTheFullParser) {
  for (const char* text : {"",
                           " ",
                           "-1",
                           "-0",
                           "1e3",
                           "1.5e3",
                           "1.",
                           ".5",
                           "01",
                           "00.5",
                           "1.2.3",
                           "+1",
                           "1000000000000000",
                           "0.1234567",
                           "tru",
                           "truex",
                           "nul",
                           R"("\u0041")",
                           R"("\b")",
                           R"("\x")",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\xc3\xa9\"",
                           R"("a)",
                           R"("a\)",
                           R"({"a":1,"a":2})",
                           R"({"a":1,})",
                           R"({"a"})",
                           R"({a:1})",
                           "[1,]",
                           "[1 ,2]",
                           "[1",
                           "{",
                           "[",
                           "[1]]",
                           "1 ",
                           R"({"a":1}x)"})
    expect_quick_agrees(text, false);
  EXPECT_FALSE(parse_quickly(nested(max_depth + 1)));
  EXPECT_TRUE(parse_quickly(nested(max_depth)));
  std::string wide = "{";
  for (int i = 0; i < 100; ++i) wide += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  expect_quick_agrees(wide + "}", false);
}

// Every text that is one byte away from a good one: whatever the quick parser accepts, the full one reads alike.
TEST(JsonQuick, NeverSaysOtherThanTheFullParser) {
  const std::string good = R"({"kind":"bind","n":[10,2.50,true,null,{"k":"\n\"x"}],"m":{"a":"b"}})";
  ASSERT_TRUE(parse_quickly(good));
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[at] = static_cast<char>(byte);
      const std::optional<Value> quick = parse_quickly(text);
      if (!quick) continue;
      const auto full = parse(" " + text, "text");
      ASSERT_TRUE(full) << text;
      ASSERT_TRUE(same(*quick, *full)) << text;
    }
    std::string shorter = good;
    shorter.erase(at, 1);
    if (const std::optional<Value> quick = parse_quickly(shorter)) {
      const auto full = parse(" " + shorter, "text");
      ASSERT_TRUE(full && same(*quick, *full)) << shorter;
    }
  }
}

TEST(JsonParse, KeepsTheOrderOfKeys) {
  const auto value = parse(R"({"b":1,"a":[true,null,-3,1.5,"x"]})", "text");
  ASSERT_TRUE(value);
  ASSERT_EQ(value->members.size(), 2U);
  EXPECT_EQ(value->members[0].key, "b");
  const auto& list = value->members[1].value.list;
  ASSERT_EQ(list.size(), 5U);
  EXPECT_EQ(list[0].kind, Kind::boolean);
  EXPECT_EQ(list[1].kind, Kind::null);
  EXPECT_EQ(list[2].negative, -3);
  EXPECT_EQ(list[3].number, 1.5);
  EXPECT_EQ(list[4].text, "x");
}

TEST(JsonParse, RefusesWhatIsNotOneValue) {
  for (const std::string_view text : {"", " ", "{", "{\"a\":1,}", "[1 2]", "{} {}", "nul", "'a'", "{\"a\":01}", "\"a",
                                      "\"\x01\"", "1e999", "[NaN]", "// x\n1", "\xff", "\"\xc3\x28\"", "\"\\ud800\""}) {
    const auto value = parse(text, "text");
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, "bad_json");
    EXPECT_EQ(value.error().where, "text");
  }
}

TEST(JsonParse, RefusesNestingBeyondItsLimitOnly) {
  EXPECT_TRUE(parse(nested(max_depth), "text"));
  EXPECT_FALSE(parse(nested(max_depth + 1), "text"));
  // Far beyond what any stack could hold.
  EXPECT_FALSE(parse(std::string(2'000'000, '['), "text"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(parse(objects, "text"));
}

TEST(JsonParse, RefusesARepeatedKeyAtAnyDepth) {
  const auto value = parse(R"([{"x":{"k":1,"j":2,"k":1}}])", "text");
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find("'k'"), std::string::npos);
  EXPECT_FALSE(parse(R"({"k":1,"\u006b":2})", "text"));
  EXPECT_TRUE(parse(R"([{"k":1},{"k":2}])", "text"));
}

TEST(JsonParse, RefusesTooManyValuesAndTooManyBytes) {
  std::string many = "[0";
  for (std::size_t i = 0; i + 2 < max_values; ++i) many += ",0";
  EXPECT_TRUE(parse(many + "]", "text"));
  EXPECT_FALSE(parse(many + ",0]", "text"));
  EXPECT_FALSE(parse('"' + std::string(max_bytes, 'x') + '"', "text"));
}

TEST(JsonParse, QuotesLittleOfWhatItCouldNotRead) {
  const auto value = parse("\"" + std::string(100'000, 'x'), "text");
  ASSERT_FALSE(value);
  EXPECT_LT(value.error().message.size(), 400U);
}

// Reads one key of type T and returns what was wrong with it.
template <typename T>
std::string problem_of(std::string_view text) {
  const auto read = read_document(text, "doc", [](Reader& reader) {
    T out{};
    reader.read("k", out);
  });
  return read ? "" : read.error().where + ": " + read.error().message;
}

TEST(JsonReader, RefusesWrongTypes) {
  EXPECT_EQ(problem_of<std::string>(R"({"k":"x"})"), "");
  EXPECT_EQ(problem_of<std::string>("{}"), "");
  EXPECT_EQ(problem_of<std::string>(R"({"k":1})"), "doc.k: must be a string, not an integer");
  EXPECT_EQ(problem_of<bool>(R"({"k":0})"), "doc.k: must be true or false, not an integer");
  EXPECT_EQ(problem_of<bool>(R"({"k":null})"), "doc.k: must be true or false, not null");
  EXPECT_EQ(problem_of<std::uint64_t>(R"({"k":"1"})"), "doc.k: must be an integer, not a string");
  EXPECT_EQ((problem_of<std::vector<std::string>>(R"({"k":["a",2]})")), "doc.k[1]: must be a string, not an integer");
  EXPECT_EQ((problem_of<std::vector<std::pair<std::string, std::string>>>(R"({"k":{"a":"b","c":[]}})")),
            "doc.k.c: must be a string, not a list");
  EXPECT_EQ(problem_of<bool>("[]"), "doc: must be an object, not a list");
}

TEST(JsonReader, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(problem_of<std::uint32_t>(R"({"k":4294967295})"), "");
  EXPECT_NE(problem_of<std::uint32_t>(R"({"k":4294967296})"), "");
  EXPECT_NE(problem_of<std::uint32_t>(R"({"k":-1})"), "");
  EXPECT_EQ(problem_of<std::uint64_t>(R"({"k":18446744073709551615})"), "");
  EXPECT_NE(problem_of<std::uint64_t>(R"({"k":18446744073709551616})"), "");
  EXPECT_NE(problem_of<std::uint64_t>(R"({"k":1.0})"), "");
  EXPECT_NE(problem_of<std::uint64_t>(R"({"k":1e2})"), "");
  EXPECT_EQ(problem_of<int>(R"({"k":-2147483648})"), "");
  EXPECT_NE(problem_of<int>(R"({"k":-2147483649})"), "");
  EXPECT_EQ(problem_of<int>(R"({"k":2147483647})"), "");
  EXPECT_NE(problem_of<int>(R"({"k":2147483648})"), "");
  EXPECT_EQ(problem_of<double>(R"({"k":1})"), "");
  EXPECT_EQ(problem_of<double>(R"({"k":0.25})"), "");
  EXPECT_NE(problem_of<double>(R"({"k":-0.25})"), "");
}

TEST(JsonReader, RefusesNulBytes) {
  EXPECT_NE(problem_of<std::string>(R"({"k":"a\u0000b"})"), "");
  EXPECT_NE((problem_of<std::vector<std::string>>(R"({"k":["a\u0000b"]})")), "");
  EXPECT_NE((problem_of<std::vector<std::pair<std::string, std::string>>>(R"({"k":{"a\u0000":"b"}})")), "");
  const auto bytes = read_document(R"({"k":"a\u0000b"})", "doc", [](Reader& reader) {
    std::string out;
    EXPECT_TRUE(reader.read_bytes("k", out));
    EXPECT_EQ(out, std::string_view("a\0b", 3));
  });
  EXPECT_TRUE(bytes);
}

TEST(JsonReader, NamesTheWayToTheFirstProblem) {
  const auto read = read_document(R"({"a":[{"b":{}},{"b":{"c":1}}],"z":1})", "doc", [](Reader& reader) {
    reader.read_objects("a", [](Reader& item) {
      item.read_object("b", [](Reader& inner) {
        std::string out;
        inner.read("c", out);
      });
    });
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, "doc.a[1].b.c");
}

TEST(JsonReader, ReportsUnknownAndMissingKeys) {
  const auto unknown = read_document(R"({"a":1,"b":2})", "doc", [](Reader& reader) {
    int out = 0;
    reader.read("b", out);
  });
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "unknown_key");
  EXPECT_EQ(unknown.error().where, "doc.a");
  int kept = 0;
  const auto ignored =
      read_document(R"({"a":1,"b":2})", "doc", [&](Reader& reader) { reader.read("b", kept); }, UnknownKeys::ignored);
  EXPECT_TRUE(ignored);
  EXPECT_EQ(kept, 2);
  const auto missing = read_document("{}", "doc", [](Reader& reader) {
    int out = 0;
    reader.require(reader.read("b", out), "b");
  });
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "missing_key");
  EXPECT_EQ(missing.error().where, "doc.b");
}

}  // namespace
}  // namespace cocoon::json
