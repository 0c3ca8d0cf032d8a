#include "libc/input.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace ranklet::loader;

namespace {

struct InputPipe {
  InputPipe() { REQUIRE(::pipe2(ends, O_CLOEXEC) == 0); }
  ~InputPipe()
  {
    ::close(ends[0]);
    close_writer();
  }
  InputPipe(const InputPipe&) = delete;
  InputPipe& operator=(const InputPipe&) = delete;

  void write(std::string_view text) const
  {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_writer()
  {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  int ends[2];
};

std::string read_some(JobInput& input, int rank, std::size_t size = 100)
{
  std::string text(size, '\0');
  const ssize_t count = input.read(rank, text.data(), size);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

std::string read_all(JobInput& input, int rank, std::size_t size)
{
  std::string text;
  for (std::string more; !(more = read_some(input, rank, size)).empty();) text += more;
  return text;
}

}  // namespace

TEST_CASE("a rank that waits for input keeps nobody from what is there")
{
  InputPipe pipe;
  JobInput input(2, JobInput::everybody, pipe.ends[0]);
  pipe.write("one\n");
  CHECK(read_some(input, 0) == "one\n");
  std::future<std::string> waits = std::async(std::launch::async, [&] { return read_some(input, 0); });
  while (!input.has_waiting_reader()) std::this_thread::yield();
  std::future<std::string> reads = std::async(std::launch::async, [&] { return read_some(input, 1); });
  CHECK(reads.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  pipe.write("two\n");
  CHECK(reads.get() == "one\n");
  CHECK(waits.get() == "two\n");
  CHECK(read_some(input, 1) == "two\n");
}

TEST_CASE("what comes reaches all who wait, though one of them waits again at once")
{
  InputPipe pipe;
  JobInput input(2, JobInput::everybody, pipe.ends[0]);
  for (int i = 0; i < 100; ++i) {
    const std::string line = std::to_string(i) + "\n";
    // The first one is soon back for the next line.
    auto first = std::async(std::launch::async, [&] {
      const std::string text = read_some(input, 0);
      return text + read_some(input, 0);
    });
    auto second = std::async(std::launch::async, [&] { return read_some(input, 1); });
    pipe.write(line);
    const bool came = second.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    CHECK(came);
    pipe.write("next\n");
    CHECK(second.get() == line);
    CHECK(first.get() == line + "next\n");
    CHECK(read_some(input, 1) == "next\n");
    if (!came) break;
  }
}

TEST_CASE("the end of the input reaches all who wait for it")
{
  InputPipe pipe;
  JobInput input(3, JobInput::everybody, pipe.ends[0]);
  std::vector<std::future<std::string>> waiting;
  for (int rank = 0; rank < 3; ++rank)
    waiting.push_back(std::async(std::launch::async, [&, rank] { return read_some(input, rank); }));
  while (!input.has_waiting_reader()) std::this_thread::yield();
  pipe.close_writer();
  for (auto& rank : waiting) CHECK(rank.get().empty());
}

TEST_CASE("everybody reads the same, at any pace, from a pipe and from a file")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + random() % 26);

  InputPipe pipe;
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  REQUIRE(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  const off_t skipped = 1000;  // by whoever had the file before
  for (const int descriptor : {pipe.ends[0], file}) {
    const std::string wanted = descriptor == file ? text.substr(skipped) : text;
    ::lseek(file, skipped, SEEK_SET);
    JobInput input(4, JobInput::everybody, descriptor);
    std::vector<std::future<bool>> ranks;
    for (int rank = 0; rank < 4; ++rank)
      ranks.push_back(std::async(std::launch::async, [&, rank, size = 1 + random() % 9000] {
        return read_all(input, rank, size) == wanted;
      }));
    if (descriptor != file) {
      pipe.write(text);
      pipe.close_writer();
    }
    for (auto& rank : ranks) CHECK(rank.get());
    input.leave(2);
    CHECK(read_some(input, 2).empty());
  }
  ::close(file);
}

TEST_CASE("of input only that is kept which somebody has not read")
{
  InputCopies copies(3);
  copies.leave(2);
  const std::string piece(100'000, 'x');
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    copies.append(piece);
    for (const std::size_t reader : {0, 1})
      for (std::string_view more; !(more = copies.next(reader)).empty();) copies.advance(reader, more.size());
    most = std::max(most, copies.size());
    CHECK(!copies.nobody_waits());
  }
  CHECK(most < 3 * piece.size());
  copies.append(piece);
  CHECK(copies.nobody_waits());
  CHECK(copies.next(1).starts_with("xxx"));
}

TEST_CASE("the ranks of a job may be numbered from elsewhere on")
{
  InputPipe pipe;
  JobInput one(2, 1, pipe.ends[0], 5);
  pipe.write("text");
  CHECK(read_some(one, 5).empty());
  CHECK(read_some(one, 1).empty());
  CHECK(read_some(one, 6) == "text");
  CHECK(one.is_only_for(6));
  JobInput all(2, JobInput::everybody, pipe.ends[0], 5);
  pipe.write("more");
  CHECK_FALSE(all.reaches(0));
  CHECK_FALSE(all.reaches(7));
  CHECK(read_some(all, 5) == "more");
  CHECK(read_some(all, 6) == "more");
}
