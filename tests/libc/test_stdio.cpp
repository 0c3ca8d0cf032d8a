#include "libc/stdio.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <cwchar>
#include <filesystem>
#include <fstream>
#include <random>

#include "libc/fake_job.hpp"
#include "support/text.hpp"

using namespace ranklet::loader;
using ranklet::test::contents_of;

namespace {

const Overriding<int(int)> rank_putchar{"putchar"};
const Overriding<int(const char*, ...)> rank_scanf{"__isoc99_scanf"};
const Overriding<int()> rank_getchar{"getchar"};
const Overriding<int(std::FILE*)> rank_fclose{"fclose"};
const Overriding<std::FILE*(const char*, const char*, std::FILE*)> rank_freopen{"freopen"};
const Overriding<std::FILE*(int, const char*)> rank_fdopen{"fdopen"};
const Overriding<ssize_t(int, const void*, std::size_t)> rank_write{"write"};
const Overriding<ssize_t(int, void*, std::size_t)> rank_read{"read"};
const Overriding<int(int)> rank_close{"close"};
const Overriding<int(int)> rank_dup{"dup"};
const Overriding<int(int, int)> rank_dup2{"dup2"};
const Overriding<int(int)> rank_isatty{"isatty"};
const Overriding<int(int, const char*, ...)> rank_dprintf{"dprintf"};
const Overriding<void(const char*)> rank_perror{"perror"};
const Overriding<int(const wchar_t*, ...)> rank_wprintf{"wprintf"};

struct TemporaryFolder {
  TemporaryFolder() { REQUIRE(::mkdtemp(path) != nullptr); }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  char path[24] = "/tmp/ranklet-io-XXXXXX";
};

}  // namespace

TEST_CASE("all ways to print lead to the rank's lines, in the order of the calls")
{
  FakeJob job(2);
  job.run([](FakeRank& rank) {
    if (rank.rank() != 1) return;
    rank_printf("%s %d\n", "printf", 1);
    rank_puts("puts");
    for (char c : {'p', 'u', 't', 'c', '\n'}) rank_putchar(c);
    std::fprintf(rank.out, "fprintf\n");
    std::fputs("fputs\n", rank.out);
    std::fwrite("fwrite\n", 1, 7, rank.out);
    rank_write(1, "write\n", 6);
    rank_dprintf(1, "dprintf %d\n", 2);
    rank_wprintf(L"wide %ls\n", L"text");
    std::fprintf(rank.err, "err ");
    std::fprintf(rank.err, "or\n");
    errno = ENOENT;
    rank_perror("perror");
    rank_write(2, "write 2\n", 8);
  });
  CHECK(job.out.text() == "printf 1\nputs\nputc\nfprintf\nfputs\nfwrite\nwrite\ndprintf 2\nwide text\n");
  CHECK(job.err.text() == "err or\nperror: No such file or directory\nwrite 2\n");
}

TEST_CASE("the standard streams have the descriptors 0, 1, 2")
{
  FakeJob job(2);
  job.run([](FakeRank& rank) {
    if (rank.rank() != 0) return;
    CHECK(::fileno(rank.in) == 0);
    CHECK(::fileno(rank.out) == 1);
    CHECK(::fileno(rank.err) == 2);
    CHECK(rank_isatty(1) == 0);
  });
}

TEST_CASE("setvbuf works as ever: fully buffered output waits for fflush, unbuffered lines stay whole")
{
  FakeJob job(2);
  job.run([&](FakeRank& rank) {
    if (rank.rank() == 0) {
      static char buffer[4096];
      CHECK(std::setvbuf(rank.out, buffer, _IOFBF, sizeof buffer) == 0);
      rank_puts("late");
      CHECK(job.out.text().find("late") == std::string::npos);
      rank_fflush(rank.out);
      CHECK(job.out.text().find("late\n") != std::string::npos);
      std::setvbuf(rank.out, nullptr, _IOLBF, 0);
    } else {
      std::setvbuf(rank.out, nullptr, _IONBF, 0);
      for (int i = 0; i < 100; ++i) {
        rank_printf("one ");
        rank_printf("line ");
        rank_putchar('!');
        rank_putchar('\n');
      }
    }
  });
  int whole = 0;
  for (const std::string& line : job.out.lines()) whole += line == "one line !" ? 1 : 0;
  CHECK(whole == 100);
}

TEST_CASE("fclose(stdout) closes it for this rank only")
{
  FakeJob job(2);
  job.run([](FakeRank& rank) {
    rank_printf("before %d\n", rank.rank());
    if (rank.rank() == 0) {
      CHECK(rank_fclose(rank.out) == 0);
      CHECK(rank_puts("lost") == EOF);
      CHECK(rank_write(1, "lost\n", 5) == -1);
      CHECK(errno == EBADF);
    }
  });
  CHECK(job.out.text().find("lost") == std::string::npos);
  CHECK(job.out.lines().size() == 2);
  CHECK(::fcntl(job.out.descriptor(), F_GETFD) >= 0);
}

TEST_CASE("freopen and dup2 redirect one rank's output, also what goes through write")
{
  TemporaryFolder folder;
  const std::string base = folder.path;
  FakeJob job(3);
  job.run([&](FakeRank& rank) {
    const std::string path = base + "/" + std::to_string(rank.rank());
    if (rank.rank() == 0) {
      CHECK(rank_freopen(path.c_str(), "w", rank.out) == rank.out);
      CHECK(::fileno(rank.out) == 1);
    } else if (rank.rank() == 1) {
      const int saved = rank_dup(1);
      CHECK(saved > 2);
      const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
      CHECK(rank_dup2(file, 1) == 1);
      ::close(file);
      rank_puts("into the file");
      rank_fflush(rank.out);
      rank_write(saved, "by the saved one\n", 17);
      CHECK(rank_dup2(saved, 1) == 1);
      CHECK(rank_close(saved) == 0);
    }
    rank_printf("rank %d\n", rank.rank());
    rank_fflush(rank.out);
    rank_write(1, "written\n", 8);
  });
  CHECK(contents_of(base + "/0") == "rank 0\nwritten\n");
  CHECK(contents_of(base + "/1") == "into the file\n");
  std::vector<std::string> lines = job.out.lines();
  std::sort(lines.begin(), lines.end());
  CHECK(lines == std::vector<std::string>{"by the saved one", "rank 1", "rank 2", "written", "written"});
}

TEST_CASE("stdout onto stderr and back to nothing: dup2(2, 1), close(1)")
{
  FakeJob job(2);
  job.run([](FakeRank& rank) {
    if (rank.rank() != 0) return;
    CHECK(rank_dup2(2, 1) == 1);
    rank_puts("to stderr");
    CHECK(rank_close(1) == 0);
    CHECK(rank_close(1) == -1);
    CHECK(rank_dup(1) == -1);
    const int null = ::open("/dev/null", O_WRONLY);
    CHECK(rank_dup2(null, 1) == 1);
    ::close(null);
    CHECK(rank_puts("nowhere") >= 0);
  });
  CHECK(job.out.text() == "");
  CHECK(job.err.text() == "to stderr\n");
}

TEST_CASE("fdopen on a standard descriptor goes to the same lines")
{
  FakeJob job(2);
  job.run([](FakeRank& rank) {
    if (rank.rank() != 0) return;
    std::FILE* const again = rank_fdopen(rank_dup(1), "w");
    REQUIRE(again != nullptr);
    std::fputs("through another FILE\n", again);
    CHECK(rank_fclose(again) == 0);
    rank_puts("still open");
  });
  CHECK(job.out.text() == "through another FILE\nstill open\n");
}

TEST_CASE("/dev/stdout and its like are the rank's streams")
{
  const Overriding<int(const char*, int, ...)> rank_open{"open"};
  const Overriding<std::FILE*(const char*, const char*)> rank_fopen{"fopen"};
  TypedInput typed("typed");
  FakeJob job(2, 1, typed.descriptor());
  job.run([&](FakeRank& rank) {
    if (rank.rank() != 0) return;
    std::FILE* const out = rank_fopen("/dev/stdout", "w");
    REQUIRE(out != nullptr);
    std::fputs("by name\n", out);
    CHECK(rank_fclose(out) == 0);
    const int err = rank_open("/dev/fd/2", O_WRONLY);
    CHECK(err > 2);
    CHECK(rank_write(err, "error\n", 6) == 6);
    CHECK(rank_close(err) == 0);
    const int in = rank_open("/dev/stdin", O_RDONLY);
    char text[8];
    CHECK(rank_read(in, text, sizeof text) == 0);  // this rank has no input
    CHECK(rank_close(in) == 0);
    const int null = rank_open("/dev/null", O_RDWR | O_CREAT, 0600);
    CHECK(null > 2);
    CHECK_FALSE(rank.libc().descriptors.owns(null));
    CHECK(rank_close(null) == 0);
    CHECK(rank_fopen("/nonexistent/file", "r") == nullptr);
  });
  CHECK(job.out.text() == "by name\n");
  CHECK(job.err.text() == "error\n");
}

TEST_CASE("standard input goes to rank 0, the others see the end of the file")
{
  TypedInput typed("42 text\nrest\n");
  FakeJob job(3, 0, typed.descriptor());
  job.run([](FakeRank& rank) {
    int number = 0;
    char word[16] = "";
    char line[16];
    if (rank.rank() == 0) {
      CHECK(rank_scanf("%d %15s", &number, word) == 2);
      CHECK(number == 42);
      CHECK(std::string(word) == "text");
      CHECK(rank_getchar() == '\n');
      CHECK(std::fgets(line, sizeof line, rank.in) != nullptr);
      CHECK(std::string(line) == "rest\n");
    }
    CHECK(rank_scanf("%d", &number) == EOF);
    CHECK(rank_getchar() == EOF);
    CHECK(std::fgets(line, sizeof line, rank.in) == nullptr);
    CHECK(std::feof(rank.in) != 0);
    CHECK(rank_read(0, line, sizeof line) == 0);
  });
}

TEST_CASE("standard input can go to another rank, to all, or to nobody")
{
  for (int receiver : {2, JobInput::everybody, JobInput::nobody}) {
    CAPTURE(receiver);
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
    TypedInput typed(text);
    FakeJob job(3, receiver, typed.descriptor());
    std::vector<std::string> got(3);
    job.run([&](FakeRank& rank) {
      for (int c; (c = rank_getchar()) != EOF;)
        got[static_cast<std::size_t>(rank.rank())] += static_cast<char>(c);
    });
    for (int rank = 0; rank < 3; ++rank) {
      const bool reached = receiver == rank || receiver == JobInput::everybody;
      CHECK((got[static_cast<std::size_t>(rank)] == (reached ? text : "")));
    }
  }
}

TEST_CASE("a prompt without a newline is seen before the answer is read")
{
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  FakeJob job(2, 0, ends[0]);
  std::thread user([&] {
    // The user answers when the question is on the screen.
    while (job.out.text() != "Number? ") std::this_thread::yield();
    CHECK(::write(ends[1], "7\n", 2) == 2);
  });
  job.run([](FakeRank& rank) {
    if (rank.rank() != 0) return;
    rank_printf("Number? ");
    int number = 0;
    CHECK(rank_scanf("%d", &number) == 1);
    rank_printf("%d\n", number);
  });
  user.join();
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK(job.out.text() == "Number? 7\n");
}

TEST_CASE("a rank that waits for input does not stop the fflush(NULL) of others")
{
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  FakeJob job(2, 0, ends[0]);
  job.run([&](FakeRank& rank) {
    if (rank.rank() == 0) {
      CHECK(rank_getchar() == 'x');
    } else {
      while (!job.input.has_waiting_reader()) std::this_thread::yield();
      CHECK(rank_fflush(nullptr) == 0);
      CHECK(::write(ends[1], "x", 1) == 1);
    }
  });
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("freopen(stdin) gives each rank its own file")
{
  TemporaryFolder folder;
  FakeJob job(2, JobInput::nobody);
  const std::string path = std::string(folder.path) + "/input";
  std::ofstream(path) << "first\nsecond\n";
  job.run([&](FakeRank& rank) {
    char line[16];
    CHECK(std::fgets(line, sizeof line, rank.in) == nullptr);
    CHECK(rank_freopen(path.c_str(), "r", rank.in) == rank.in);
    for (int repetition = 0; repetition < 2; ++repetition) {
      REQUIRE(std::fgets(line, sizeof line, rank.in) != nullptr);
      CHECK(std::string(line) == "first\n");
      CHECK(std::fseek(rank.in, 0, SEEK_SET) == 0);
    }
    CHECK(rank_freopen("/nonexistent/input", "r", rank.in) == nullptr);
  });
}

TEST_CASE("many ranks print pieces by all means at once: every line is whole")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  constexpr int ranks = 8;
  constexpr int lines = 300;
  FakeJob job(ranks);
  job.run([&](FakeRank& rank) {
    std::mt19937 random(seed + static_cast<unsigned>(rank.rank()));
    std::setvbuf(rank.out, nullptr,
                 rank.rank() % 3 == 0   ? _IONBF
                 : rank.rank() % 3 == 1 ? _IOLBF
                                        : _IOFBF,
                 rank.rank() % 2 == 0 ? 0 : 100);
    for (int line = 0; line < lines; ++line) {
      rank_printf("<%d %d", rank.rank(), line);
      for (auto piece = random() % 5; piece > 0; --piece) {
        switch (random() % 3) {
          case 0:
            rank_printf(" %d", rank.rank());
            break;
          case 1:
            std::fputs((" " + std::to_string(rank.rank())).c_str(), rank.out);
            break;
          default:
            rank_fflush(rank.out);
            rank_dprintf(1, " %d", rank.rank());
        }
      }
      if (random() % 2 == 0)
        rank_puts(">");
      else
        std::fputs(">\n", rank.out);
      if (random() % 16 == 0) std::fprintf(rank.err, "[%d]\n", rank.rank());
    }
  });
  std::vector<int> next(ranks, 0);
  int wrong = 0;
  for (const std::string& line : job.out.lines()) {
    int rank = -1, number = -1, place = 0;
    std::sscanf(line.c_str(), "<%d %d%n", &rank, &number, &place);
    REQUIRE(rank >= 0);
    REQUIRE(rank < ranks);
    if (number != next[static_cast<std::size_t>(rank)]++) ++wrong;
    std::string rest = line.substr(static_cast<std::size_t>(place));
    const std::string piece = " " + std::to_string(rank);
    while (rest.compare(0, piece.size(), piece) == 0) rest.erase(0, piece.size());
    if (rest != ">") ++wrong;
  }
  CHECK(wrong == 0);
  for (int count : next) CHECK(count == lines);
}

TEST_CASE("threads of the host keep libc's own streams")
{
  REQUIRE(current_process() == nullptr);
  Capture capture;
  const int saved = ::dup(1);
  std::fflush(stdout);
  ::dup2(capture.descriptor(), 1);
  rank_printf("of the host\n");
  rank_fflush(stdout);
  ::dup2(saved, 1);
  ::close(saved);
  CHECK(capture.text() == "of the host\n");
}
