// Output streams: nothing blocks, nothing is lost, and the end of a reader is noticed.
#include "host/os/stream.hpp"

#include "host/os/signals.hpp"
#include "support/temporary_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace cocoon {
namespace {

class PipeTest : public testing::Test {
 protected:
  PipeTest() { EXPECT_EQ(::pipe(ends_), 0); }
  ~PipeTest() override {
    close_reader();
    ::close(ends_[1]);
  }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  std::string read_all(std::size_t size) const {
    std::string text(size, '\0');
    std::size_t done = 0;
    while (done < size) {
      const ssize_t n = ::read(ends_[0], text.data() + done, size - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    text.resize(done);
    return text;
  }

  int ends_[2] = {-1, -1};
};

std::string pattern(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i) + " ";
  text.resize(size);
  return text;
}

TEST_F(PipeTest, KeepsWhatTheReaderIsNotReadyForAndSaysWhenThatIsFull) {
  os::OutputStream stream(ends_[1]);
  const std::string all = pattern(4'000'000);
  const std::size_t taken = stream.write(all);
  EXPECT_GE(taken, std::size_t{1024 * 1024});
  EXPECT_LT(taken, all.size());
  EXPECT_EQ(stream.write("x"), 0U);
  std::thread reader([&] { EXPECT_EQ(read_all(taken), all.substr(0, taken)); });
  stream.flush(-1);
  reader.join();
  EXPECT_FALSE(stream.reader_gone());
}

TEST_F(PipeTest, DoesNotChangeTheSharedDescriptor) {
  const os::OutputStream stream(ends_[1]);
  EXPECT_EQ(::fcntl(ends_[1], F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(PipeTest, TheOrderIsKeptAcrossFullAndEmpty) {
  os::OutputStream stream(ends_[1]);
  const std::string all = pattern(600'000);
  std::string got;
  std::size_t sent = 0;
  while (sent < all.size()) {
    sent += stream.write(std::string_view(all).substr(sent, 100'000));
    got += read_all(10'000);
  }
  std::thread reader([&] { got += read_all(all.size() - got.size()); });
  stream.flush(-1);
  reader.join();
  EXPECT_EQ(got, all);
}

TEST_F(PipeTest, AfterTheReaderHasGoneAllIsTakenAndDropped) {
  const os::NoBrokenPipe no_broken_pipe;
  os::OutputStream stream(ends_[1]);
  close_reader();
  EXPECT_EQ(stream.write("abc"), 3U);
  EXPECT_TRUE(stream.reader_gone());
  stream.flush(-1);
}

TEST_F(PipeTest, AReaderThatNeverReadsDoesNotHoldUpACancelledRun) {
  os::OutputStream stream(ends_[1]);
  stream.write(pattern(500'000));
  const os::Event cancel;
  cancel.set();
  stream.flush(cancel.fd());  // returns, or the test's own time limit ends it
}

TEST(FileStreamTest, WritesOnWhereTheOthersStopped) {
  const TemporaryFolder folder;
  folder.write("out", "");
  const int fd = ::open(folder.at("out").c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  os::OutputStream stream(fd);
  EXPECT_EQ(stream.write("mine "), 5U);
  ASSERT_EQ(::write(fd, "after", 5), 5);
  char text[32] = {};
  EXPECT_EQ(::pread(fd, text, sizeof text, 0), 17);
  EXPECT_STREQ(text, "before mine after");
  ::close(fd);
}

TEST(BrokenPipeTest, AWriteIsAnErrorAndTheSignalIsGoneAfterwards) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  {
    const os::NoBrokenPipe no_broken_pipe;
    EXPECT_EQ(::write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  ::close(ends[1]);  // alive: the signal would have ended the test
}

TEST_F(PipeTest, AReaderThatHasGoneIsNoError) {
  const os::NoBrokenPipe no_broken_pipe;
  os::OutputStream stream(ends_[1]);
  close_reader();
  EXPECT_EQ(stream.write("x"), 1U);
  EXPECT_TRUE(stream.reader_gone());
  EXPECT_EQ(stream.error(), 0);
}

TEST(StreamTest, AFullDiskIsAnError) {
  const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  os::OutputStream stream(fd);
  EXPECT_EQ(stream.write("x"), 1U);
  stream.flush(-1);
  EXPECT_TRUE(stream.reader_gone());
  EXPECT_EQ(stream.error(), ENOSPC);
  ::close(fd);
}

}  // namespace
}  // namespace cocoon
