#include "libc/output.hpp"

#include <pty.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "libc/fake_job.hpp"
#include "support/text.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::loader;
using test::contents_of;

namespace {

// Partial lines wait so long for their end.
constexpr std::chrono::hours for_ever{1};

void append(LineAssembler& assembler, std::string_view text)
{
  CHECK(assembler.append(text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

// A terminal of which the test is the screen.
struct Terminal {
  Terminal()
  {
    REQUIRE(::openpty(&screen, &device, nullptr, nullptr, nullptr) == 0);
    termios mode;
    ::tcgetattr(device, &mode);
    ::cfmakeraw(&mode);
    ::tcsetattr(device, TCSANOW, &mode);
  }
  ~Terminal()
  {
    ::close(screen);
    ::close(device);
  }
  std::string shown() const
  {
    char text[4096];
    ::fcntl(screen, F_SETFL, O_NONBLOCK);
    const ssize_t size = ::read(screen, text, sizeof text);
    return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
  }
  int screen, device;
};

}  // namespace

TEST_CASE("complete lines leave at once, partial ones wait for their newline")
{
  Capture out;
  JobOutput job(std::vector<RankOutputSettings>(2), out.descriptor(), out.descriptor(), for_ever);
  LineAssembler& zero = job.assembler(0, Stream::out);
  LineAssembler& one = job.assembler(1, Stream::out);
  append(zero, "begun ");
  append(one, "whole\nhalf ");
  CHECK(out.text() == "whole\n");
  append(zero, "and ended\nnext");
  CHECK(out.text() == "whole\nbegun and ended\n");
  append(one, "done\n");
  job.flush();
  CHECK(out.text() == "whole\nbegun and ended\nhalf done\nnext");
}

TEST_CASE("a job of one rank passes everything through")
{
  Capture out;
  JobOutput job(std::vector<RankOutputSettings>(1), out.descriptor(), out.descriptor());
  append(job.assembler(0, Stream::out), "Name? ");
  CHECK(out.text() == "Name? ");
}

TEST_CASE("a visible partial line is ended before another rank's line, never continued by it")
{
  Capture out;
  JobOutput job(std::vector<RankOutputSettings>(3), out.descriptor(), out.descriptor());
  append(job.assembler(0, Stream::out), "Name? ");
  job.assembler(0, Stream::out).flush();
  append(job.assembler(1, Stream::err), "hello\n");
  append(job.assembler(0, Stream::out), "rest\n");
  CHECK(out.text() == "Name? \nhello\nrest\n");
  append(job.assembler(2, Stream::out), "open ");
  job.assembler(2, Stream::out).flush();
  append(job.assembler(2, Stream::out), "and closed\n");
  CHECK(out.text() == "Name? \nhello\nrest\nopen and closed\n");
}

TEST_CASE("prefixes stand before every line, empty ones too")
{
  Capture out;
  Capture err;
  std::vector<RankOutputSettings> settings(2);
  settings[0].prefix = {"[0] ", "[0]! "};
  settings[1].prefix = {"[1] ", "[1]! "};
  JobOutput job(settings, out.descriptor(), err.descriptor(), for_ever);
  append(job.assembler(1, Stream::out), "a\n\nb");
  append(job.assembler(0, Stream::err), "e\n");
  append(job.assembler(1, Stream::out), "c\nd");
  job.flush();
  CHECK(out.text() == "[1] a\n[1] \n[1] bc\n[1] d");
  CHECK(err.text() == "[0]! e\n");
}

TEST_CASE("timestamps")
{
  Capture out;
  std::vector<RankOutputSettings> settings(2);
  settings[0].timestamp = true;
  settings[0].prefix[0] = "0: ";
  JobOutput job(settings, out.descriptor(), out.descriptor());
  append(job.assembler(0, Stream::out), "x\n");
  const std::string text = out.text();
  int year, month, day, hour, minute, second, millisecond;
  CHECK(std::sscanf(text.c_str(), "%4d-%2d-%2d %2d:%2d:%2d.%3d 0: x\n", &year, &month, &day, &hour, &minute,
                    &second, &millisecond) == 7);
  CHECK(text.size() == 24 + 5);
}

TEST_CASE("files per rank, shared where the paths are equal")
{
  char folder[] = "/tmp/ranklet-output-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::string base = folder;
  Capture out;
  {
    std::vector<RankOutputSettings> settings(3);
    settings[0].file = {base + "/out.0", base + "/both"};
    settings[1].file = {base + "/both", base + "/both"};
    settings[2].error_to_output = true;
    JobOutput job(settings, out.descriptor(), 2);
    append(job.assembler(0, Stream::out), "zero\n");
    append(job.assembler(0, Stream::err), "zero's error\n");
    append(job.assembler(1, Stream::out), "one\n");
    append(job.assembler(1, Stream::err), "one's error\nrest");
    append(job.assembler(2, Stream::err), "two's error\n");
  }
  CHECK(contents_of(base + "/out.0") == "zero\n");
  CHECK(contents_of(base + "/both") == "zero's error\none\none's error\nrest");
  CHECK(out.text() == "two's error\n");
  std::filesystem::remove_all(base);

  std::vector<RankOutputSettings> impossible(1);
  impossible[0].file[0] = "/nonexistent/file";
  try {
    JobOutput job(impossible, out.descriptor(), out.descriptor());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.error_class() == ErrorClass::no_such_file);
    CHECK(error.message().find("/nonexistent/file") != std::string::npos);
  }
}

TEST_CASE("ranks that come later get lines of their own, and their places go to others")
{
  Capture out, err;
  JobOutput output(std::vector<RankOutputSettings>(2), out.descriptor(), err.descriptor(), for_ever);
  RankOutputSettings settings;
  settings.prefix = {"[2.0] ", "[2.0] "};
  const int first = output.add({settings, settings, settings});
  CHECK(first == 2);
  append(output.assembler(first, Stream::out), "one\ntwo");
  append(output.assembler(0, Stream::out), "half");
  CHECK(out.lines() == std::vector<std::string>{"[2.0] one"});
  output.remove(first, 3);
  CHECK(out.lines() == std::vector<std::string>{"[2.0] one", "[2.0] two"});
  CHECK(output.add(std::vector<RankOutputSettings>(2)) == 2);
  CHECK(output.add(std::vector<RankOutputSettings>(2)) == 4);
  output.remove(2, 2);
  CHECK(output.add(std::vector<RankOutputSettings>(3)) == 6);
  CHECK(output.add(std::vector<RankOutputSettings>(1)) == 2);
  append(output.assembler(2, Stream::out), "again\n");
  output.flush();
  CHECK(out.lines() == std::vector<std::string>{"[2.0] one", "[2.0] two", "again", "half"});
}

TEST_CASE("on a terminal a flushed partial line is shown")
{
  Terminal terminal;
  JobOutput job(std::vector<RankOutputSettings>(2), terminal.device, terminal.device, for_ever);
  append(job.assembler(0, Stream::out), "working");
  CHECK(terminal.shown() == "");
  job.assembler(0, Stream::out).flush_to_terminal();
  CHECK(terminal.shown() == "working");
  append(job.assembler(0, Stream::out), " done\n");
  CHECK(terminal.shown() == " done\n");

  Capture file;
  JobOutput other(std::vector<RankOutputSettings>(2), file.descriptor(), file.descriptor(), for_ever);
  append(other.assembler(0, Stream::out), "working");
  other.assembler(0, Stream::out).flush_to_terminal();
  CHECK(file.text() == "");
}

TEST_CASE("a partial line that lies for long is shown, and goes on where it was")
{
  Capture out;
  JobOutput job(std::vector<RankOutputSettings>(2), out.descriptor(), out.descriptor(),
                std::chrono::milliseconds(1));
  append(job.assembler(0, Stream::out), "working");
  const auto begin = std::chrono::steady_clock::now();
  while (out.text() != "working" && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60))
    std::this_thread::yield();
  CHECK(out.text() == "working");
  append(job.assembler(0, Stream::out), " done\n");
  CHECK(out.text() == "working done\n");
}

TEST_CASE("a line without end is not kept for ever")
{
  Capture out;
  JobOutput job(std::vector<RankOutputSettings>(2), out.descriptor(), out.descriptor(), for_ever);
  const std::string progress = "\r" + std::string(999, '#');
  for (int i = 0; i < 1000; ++i) append(job.assembler(0, Stream::out), progress);
  CHECK(out.text().size() > 1000 * progress.size() - LineAssembler::longest_partial);
  append(job.assembler(1, Stream::out), "whole\n");
  CHECK(out.text().ends_with("\nwhole\n"));
}

TEST_CASE("what a full disk does not take is known in the end")
{
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  Capture err;
  JobOutput job(std::vector<RankOutputSettings>(2), full, err.descriptor(), for_ever);
  append(job.assembler(0, Stream::err), "taken\n");
  CHECK(job.losses().empty());
  append(job.assembler(1, Stream::out), "part");  // the writer cannot learn it any more
  job.flush();
  CHECK(job.losses() ==
        std::vector<std::string>{"output to standard output was lost: No space left on device"});
  ::close(full);
}

TEST_CASE("that nobody reads any more is no loss")
{
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::close(ends[0]);
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  JobOutput job(std::vector<RankOutputSettings>(1), ends[1], ends[1]);
  CHECK(job.assembler(0, Stream::out).append("x\n", 2) == -1);
  CHECK(errno == EPIPE);
  CHECK(job.losses().empty());
  ::signal(SIGPIPE, before);
  ::close(ends[1]);
}

TEST_CASE("an error of the descriptor reaches the writer")
{
  const int closed = ::memfd_create("closed", 0);
  JobOutput job(std::vector<RankOutputSettings>(2), closed, closed);
  ::close(closed);
  errno = 0;
  CHECK(job.assembler(0, Stream::out).append("x\n", 2) == -1);
  CHECK(errno == EBADF);
}

TEST_CASE("many ranks write pieces of lines at once: each line arrives whole, in its rank's order")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  constexpr int ranks = 12;
  constexpr int lines = 400;
  std::vector<RankOutputSettings> settings(ranks);
  for (std::size_t rank = 0; rank < ranks; rank += 2)
    settings[rank].prefix[0] = "P" + std::to_string(rank) + ": ";

  // Into a pipe with a small buffer, so that writes block and come in parts.
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::fcntl(ends[1], F_SETPIPE_SZ, 4096);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  std::string received;
  std::thread reader([&] {
    char buffer[3000];
    for (ssize_t size; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      received.append(buffer, static_cast<std::size_t>(size));
  });
  {
    JobOutput job(settings, ends[1], ends[1], for_ever);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        std::mt19937 random(seed + static_cast<unsigned>(rank));
        LineAssembler& assembler = job.assembler(rank, Stream::out);
        std::string text;
        for (int line = 0; line < lines; ++line) {
          text += std::to_string(rank) + ' ' + std::to_string(line) + ' ' +
                  std::string(random() % (line % 50 == 0 ? 9000 : 80), static_cast<char>('A' + rank)) +
                  " end\n";
        }
        for (std::size_t place = 0; place < text.size();) {
          const std::size_t size = std::min<std::size_t>(random() % 700, text.size() - place);
          assembler.append(text.data() + place, size);
          place += size;
          if (random() % 8 == 0) std::this_thread::yield();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);

  std::vector<int> next(ranks, 0);
  std::size_t wrong = 0;
  for (std::size_t begin = 0; begin < received.size();) {
    const std::size_t end = received.find('\n', begin);
    REQUIRE(end != std::string::npos);
    std::string line = received.substr(begin, end - begin);
    begin = end + 1;
    if (line[0] == 'P') {
      const int prefix = std::atoi(line.c_str() + 1);
      line = line.substr(line.find(": ") + 2);
      if (prefix != std::atoi(line.c_str())) ++wrong;
    }
    int rank = -1, number = -1, length = 0;
    std::sscanf(line.c_str(), "%d %d %n", &rank, &number, &length);
    REQUIRE(rank >= 0);
    REQUIRE(rank < ranks);
    if (number != next[static_cast<std::size_t>(rank)]++) ++wrong;
    const std::string rest = line.substr(static_cast<std::size_t>(length));
    const std::size_t letters = rest.find_first_not_of(static_cast<char>('A' + rank));
    const std::string tail = letters == std::string::npos ? "" : rest.substr(letters);
    if (tail != " end" && tail != "end") ++wrong;
  }
  CHECK(wrong == 0);
  for (int count : next) CHECK(count == lines);
}

TEST_CASE("ranks that come later may have streams of their own, whose readers see their end")
{
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  JobOutput job(std::vector<RankOutputSettings>(1), nothing, nothing, for_ever);
  for (int turn = 0; turn < 2; ++turn) {
    const int streams = job.add_streams(::dup(ends[1]), ::dup(ends[1]));
    CHECK(streams == 1);  // used again
    const int first = job.add(std::vector<RankOutputSettings>(2), streams);
    append(job.assembler(first, Stream::out), "out\n");
    append(job.assembler(first + 1, Stream::err), "err\n");
    append(job.assembler(0, Stream::out), "not here\n");
    CHECK(job.end_streams(streams).empty());
    append(job.assembler(first, Stream::out), "too late\n");
    job.remove(first, 2);
    job.remove_streams(streams);
  }
  ::close(ends[1]);
  char text[100];
  std::string all;
  for (ssize_t size; (size = ::read(ends[0], text, sizeof text)) > 0;)
    all.append(text, static_cast<std::size_t>(size));
  CHECK(all == "out\nerr\nout\nerr\n");
  ::close(ends[0]);
  ::close(nothing);
}
