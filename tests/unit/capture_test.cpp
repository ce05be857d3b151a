// Captured output: head, tail, what is cut, and the UTF-8 that it becomes.
#include "host/capture.hpp"

#include "host/utf8_repair.hpp"

#include <gtest/gtest.h>

namespace cocoon {
namespace {

const std::string kBad = "\xEF\xBF\xBD";

TEST(CaptureTest, KeepsAllThatFits) {
  Capture capture(4, 4);
  capture.append("abc");
  capture.append("defgh");
  EXPECT_EQ(capture.text(), "abcdefgh");
  EXPECT_FALSE(capture.truncated());
  EXPECT_EQ(capture.bytes(), 8U);
}

TEST(CaptureTest, KeepsBothEndsAndCountsTheRest) {
  Capture capture(4, 4);
  capture.append("abcdefghi");
  EXPECT_TRUE(capture.truncated());
  EXPECT_EQ(capture.text(), "abcd\n... [1 bytes cut] ...\nfghi");
  capture.append("jk");
  EXPECT_EQ(capture.text(), "abcd\n... [3 bytes cut] ...\nhijk");
}

TEST(CaptureTest, TheEndIsTheSameHoweverItWasCutIntoPieces) {
  std::string all;
  for (int i = 0; i < 1000; ++i) all += std::to_string(i) + ",";
  for (const std::size_t piece : {1U, 3U, 7U, 64U, 1000U}) {
    Capture capture(16, 64);
    for (std::size_t at = 0; at < all.size(); at += piece) capture.append(std::string_view(all).substr(at, piece));
    EXPECT_EQ(capture.bytes(), all.size());
    EXPECT_EQ(capture.text(), all.substr(0, 16) + "\n... [" + std::to_string(all.size() - 80) + " bytes cut] ...\n" +
                                  all.substr(all.size() - 64))
        << piece;
  }
}

TEST(CaptureTest, ALimitOfNothingStillCounts) {
  Capture capture(0, 0);
  capture.append("abc");
  EXPECT_EQ(capture.bytes(), 3U);
  EXPECT_TRUE(capture.truncated());
  EXPECT_EQ(capture.text(), "\n... [3 bytes cut] ...\n");
}

TEST(CaptureTest, CutsBetweenCharacters) {
  Capture capture(4, 4);
  capture.append("abc\xC3\xA4xxxxx\xE2\x82\xACz");  // the head would end in the middle of a-umlaut
  EXPECT_EQ(capture.text(), "abc\n... [7 bytes cut] ...\n\xE2\x82\xACz");
  Capture other(4, 3);
  other.append("abcdxxxxx\xE2\x82\xACz");  // the tail would begin in the middle of the euro sign
  EXPECT_EQ(other.text(), "abcd\n... [8 bytes cut] ...\nz");
}

TEST(CaptureTest, ACharacterAcrossTheSeamIsWholeWhenNothingIsCut) {
  Capture capture(2, 8);
  capture.append("a\xE2\x82\xAC");
  EXPECT_EQ(capture.text(), "a\xE2\x82\xAC");
}

TEST(Utf8Test, LeavesWhatIsValid) {
  const std::string text =
      "plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x9B \xF4\x8F\xBF\xBF \xEF\xBF\xBF" + std::string(1, '\0');
  EXPECT_EQ(repair_utf8(text), text);
}

TEST(Utf8Test, ReplacesEachInvalidPiece) {
  EXPECT_EQ(repair_utf8("a\x80z"), "a" + kBad + "z");
  EXPECT_EQ(repair_utf8("\xC0\xAF"), kBad + kBad);                        // overlong
  EXPECT_EQ(repair_utf8("\xE0\x80\x80"), kBad + kBad + kBad);             // overlong
  EXPECT_EQ(repair_utf8("\xED\xA0\x80"), kBad + kBad + kBad);             // surrogate
  EXPECT_EQ(repair_utf8("\xF4\x90\x80\x80"), kBad + kBad + kBad + kBad);  // above U+10FFFF
  EXPECT_EQ(repair_utf8("\xF5z"), kBad + "z");
  EXPECT_EQ(repair_utf8("\xE2\x82z"), kBad + "z");  // cut short: one piece
  EXPECT_EQ(repair_utf8("\xF0\x9F\x90"), kBad);
  EXPECT_EQ(repair_utf8("\xC3\xC3\xA4"), kBad + "\xC3\xA4");
}

}  // namespace
}  // namespace cocoon
