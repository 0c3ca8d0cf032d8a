// Random numbers, environment, static results, locale, directory: each rank has its own.

#include "libc/libc_state.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/wait.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>

#include "libc/fake_job.hpp"

using namespace ranklet::loader;

namespace {

const Overriding<int()> rank_rand{"rand"};
const Overriding<void(unsigned)> rank_srand{"srand"};
const Overriding<long()> rank_random{"random"};
const Overriding<char*(unsigned, char*, std::size_t)> rank_initstate{"initstate"};
const Overriding<char*(char*)> rank_setstate{"setstate"};
const Overriding<long()> rank_lrand48{"lrand48"};
const Overriding<double()> rank_drand48{"drand48"};
const Overriding<void(long)> rank_srand48{"srand48"};
const Overriding<unsigned short*(unsigned short*)> rank_seed48{"seed48"};
const Overriding<void(unsigned short*)> rank_lcong48{"lcong48"};
const Overriding<char*(const char*)> rank_getenv{"getenv"};
const Overriding<int(const char*, const char*, int)> rank_setenv{"setenv"};
const Overriding<int(const char*)> rank_unsetenv{"unsetenv"};
const Overriding<int(char*)> rank_putenv{"putenv"};
const Overriding<int()> rank_clearenv{"clearenv"};
const Overriding<char*(char*, const char*)> rank_strtok{"strtok"};
const Overriding<std::tm*(const std::time_t*)> rank_localtime{"localtime"};
const Overriding<std::tm*(const std::time_t*)> rank_gmtime{"gmtime"};
const Overriding<char*(const std::tm*)> rank_asctime{"asctime"};
const Overriding<char*(int, const char*)> rank_setlocale{"setlocale"};
const Overriding<int(const char*)> rank_chdir{"chdir"};
const Overriding<mode_t(mode_t)> rank_umask{"umask"};
const Overriding<int(const char*)> rank_system{"system"};
const Overriding<std::FILE*(const char*, const char*)> rank_popen{"popen"};
const Overriding<int(std::FILE*)> rank_pclose{"pclose"};
const Overriding<pid_t()> rank_fork{"fork"};
const Overriding<int(const char*, const char*, ...)> rank_execl{"execl"};

}  // namespace

TEST_CASE("every rank gets the random sequences that a process gets")
{
  constexpr int count = 200;
  std::vector<int> first, seeded;
  std::vector<long> first48, seeded48;
  ::srand(1);
  for (int i = 0; i < count; ++i) first.push_back(::rand());
  ::srand(77);
  for (int i = 0; i < count; ++i) seeded.push_back(::rand());
  for (int i = 0; i < count; ++i) first48.push_back(::lrand48());
  ::srand48(77);
  for (int i = 0; i < count; ++i) seeded48.push_back(::lrand48());

  FakeJob job(4);
  job.run([&](FakeRank& rank) {
    std::vector<int> got;
    for (int i = 0; i < count; ++i) got.push_back(i % 2 == 0 ? rank_rand() : static_cast<int>(rank_random()));
    CHECK(got == first);
    if (rank.rank() == 0) return;
    rank_srand(77);
    got.clear();
    for (int i = 0; i < count; ++i) got.push_back(rank_rand());
    CHECK(got == seeded);

    std::vector<long> got48;
    for (int i = 0; i < count; ++i) got48.push_back(rank_lrand48());
    CHECK(got48 == first48);
    rank_srand48(77);
    got48.clear();
    for (int i = 0; i < count; ++i) got48.push_back(rank_lrand48());
    CHECK(got48 == seeded48);
  });
}

TEST_CASE("initstate, setstate, seed48 and lcong48 act as libc's")
{
  char theirs[2][256];
  char ours[2][256];
  unsigned short seed[3] = {1, 2, 3};
  unsigned short parameters[7] = {1, 2, 3, 4, 5, 6, 7};
  std::vector<long> expected, got;
  const auto record = [&](std::vector<long>& into, auto init, auto set, auto next, char(*arrays)[256]) {
    char* const begin = init(5, arrays[0], 256);
    into.push_back(next());
    into.push_back(init(6, arrays[1], 64) == arrays[0]);
    into.push_back(next());
    into.push_back(set(arrays[0]) == arrays[1]);
    into.push_back(next());
    into.push_back(set(begin) == arrays[0]);
    into.push_back(next());
  };
  ::srandom(1);
  record(expected, &::initstate, &::setstate, &::random, theirs);
  ::seed48(seed);
  expected.push_back(::lrand48());
  expected.push_back(::seed48(seed)[0]);
  ::lcong48(parameters);
  expected.push_back(static_cast<long>(::drand48() * 1e9));
  expected.push_back(::lrand48());
  FakeJob job(1);
  job.run([&](FakeRank&) {
    record(got, rank_initstate, rank_setstate, rank_random, ours);
    rank_seed48(seed);
    got.push_back(rank_lrand48());
    got.push_back(rank_seed48(seed)[0]);
    rank_lcong48(parameters);
    got.push_back(static_cast<long>(rank_drand48() * 1e9));
    got.push_back(rank_lrand48());
  });
  CHECK(got == expected);
}

TEST_CASE("environment: each rank changes its own")
{
  FakeJob job(4);
  job.run([&](FakeRank& rank) {
    const std::string mine = std::to_string(rank.rank());
    CHECK(rank_getenv("RANK_OF_TEST") == nullptr);
    CHECK(rank_setenv("RANK_OF_TEST", mine.c_str(), 0) == 0);
    CHECK(rank_setenv("RANK_OF_TEST", "other", 0) == 0);
    for (int i = 0; i < 50; ++i) CHECK(rank_setenv(("V" + std::to_string(i)).c_str(), mine.c_str(), 1) == 0);
    CHECK(std::string(rank_getenv("RANK_OF_TEST")) == mine);
    CHECK(std::string(rank_getenv("V49")) == mine);
    CHECK(std::string(rank.environ_[0]) == "RANK_OF_TEST=" + mine);
    char* const old = rank_getenv("V7");
    rank_setenv("V7", "changed", 1);
    CHECK(std::string(old) == mine);
    CHECK(std::string(rank_getenv("V7")) == "changed");
    CHECK(rank_unsetenv("V7") == 0);
    CHECK(rank_getenv("V7") == nullptr);
    CHECK(rank_getenv("V") == nullptr);
    CHECK(rank_setenv("A=B", "x", 1) == -1);
    CHECK(errno == EINVAL);
    CHECK(rank_unsetenv("") == -1);

    char assignment[] = "PUT=one";
    CHECK(rank_putenv(assignment) == 0);
    std::strcpy(assignment, "PUT=two");
    CHECK(std::string(rank_getenv("PUT")) == "two");
    char name[] = "PUT";
    CHECK(rank_putenv(name) == 0);
    CHECK(rank_getenv("PUT") == nullptr);

    char own_entry[] = "OWN=1";
    char* own[] = {own_entry, nullptr};
    rank.environ_ = own;
    CHECK(std::string(rank_getenv("OWN")) == "1");
    CHECK(rank_getenv("V1") == nullptr);
    CHECK(rank_setenv("MORE", "2", 1) == 0);
    CHECK(std::string(rank_getenv("OWN")) == "1");
    CHECK(own[1] == nullptr);
    CHECK(rank_clearenv() == 0);
    CHECK(rank.environ_ == nullptr);
    CHECK(rank_getenv("OWN") == nullptr);
    CHECK(rank_setenv("NEW", "3", 1) == 0);
    CHECK(std::string(rank_getenv("NEW")) == "3");
  });
  CHECK(::getenv("RANK_OF_TEST") == nullptr);
}

TEST_CASE("CPU time is the rank's, with that of its ended threads")
{
  const Overriding<std::clock_t()> rank_clock{"clock"};
  const Overriding<int(clockid_t, timespec*)> rank_clock_gettime{"clock_gettime"};
  const Overriding<int(__rusage_who_t, rusage*)> rank_getrusage{"getrusage"};
  const Overriding<std::clock_t(tms*)> rank_times{"times"};
  FakeJob job(2);
  std::barrier<> together(2);
  job.run([&](FakeRank& rank) {
    const auto work = [&] {
      while (rank_clock() < CLOCKS_PER_SEC / 10) {
      }
    };
    if (rank.rank() == 1) work();
    together.arrive_and_wait();
    timespec time{};
    rusage usage{};
    tms ticks{};
    CHECK(rank_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
    CHECK(rank_getrusage(RUSAGE_SELF, &usage) == 0);
    CHECK(rank_times(&ticks) != static_cast<std::clock_t>(-1));
    const bool worked = rank.rank() == 1;
    CHECK((time.tv_nsec >= 100000000) == worked);
    CHECK((usage.ru_utime.tv_usec + usage.ru_stime.tv_usec >= 99000) == worked);
    CHECK((ticks.tms_utime + ticks.tms_stime >= 9) == worked);
    CHECK(usage.ru_maxrss > 0);
    if (worked) return;
    std::thread([&] {
      timespec used{};
      do ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
      while (used.tv_nsec < 50000000);
      rank.libc().leave_thread();
    }).join();
    CHECK(rank_clock() >= CLOCKS_PER_SEC / 20);
  });
}

TEST_CASE("a rank starts with the environment it is given")
{
  FakeJob job(1);
  FakeRank rank(0, job.output, job.input, {"A=1", "B=two=2", "C="});
  CHECK(std::string(rank_getenv("B")) == "two=2");
  CHECK(std::string(rank_getenv("C")).empty());
  CHECK(std::string(rank.environ_[2]) == "C=");
  CHECK(rank.environ_[3] == nullptr);
}

TEST_CASE("strtok and the time functions of different ranks do not meet")
{
  FakeJob job(4);
  std::barrier<> together(4);
  job.run([&](FakeRank& rank) {
    const std::string mine(1, static_cast<char>('a' + rank.rank()));
    std::string text = mine + "," + mine + ";" + mine;
    CHECK(rank_strtok(text.data(), ",;") == mine);
    std::time_t time = rank.rank() * 86400 * 366;
    std::tm* const parts = rank_gmtime(&time);
    const char* const words = rank_asctime(parts);
    together.arrive_and_wait();
    CHECK(rank_strtok(nullptr, ",;") == mine);
    CHECK(parts->tm_year == 70 + rank.rank());
    CHECK(std::string(words).find(std::to_string(1970 + rank.rank())) != std::string::npos);
    CHECK(rank_localtime(&time) == parts);
    together.arrive_and_wait();
    CHECK(rank_strtok(nullptr, ",;") == mine);
    CHECK(rank_strtok(nullptr, ",;") == nullptr);
  });
}

TEST_CASE("setlocale is per rank")
{
  FakeJob job(2);
  std::barrier<> together(2);
  job.run([&](FakeRank& rank) {
    CHECK(std::string(rank_setlocale(LC_ALL, nullptr)) == "C");
    CHECK(rank_setlocale(LC_ALL, "xx_NOWHERE") == nullptr);
    CHECK(rank_setlocale(999, "C") == nullptr);
    together.arrive_and_wait();
    if (rank.rank() == 0) {
      rank_setenv("LC_ALL", "C.UTF-8", 1);
      const char* const name = rank_setlocale(LC_CTYPE, "");
      REQUIRE(name != nullptr);
      CHECK(std::string(name) == "C.UTF-8");
    }
    together.arrive_and_wait();
    CHECK(MB_CUR_MAX == (rank.rank() == 0 ? 6 : 1));
    if (rank.rank() == 0) {
      const std::string all = rank_setlocale(LC_ALL, nullptr);
      CHECK(all.find("LC_CTYPE=C.UTF-8;LC_NUMERIC=C;") == 0);
      CHECK(rank_setlocale(LC_ALL, "C") != nullptr);
      CHECK(MB_CUR_MAX == 1);
      CHECK(std::string(rank_setlocale(LC_ALL, all.c_str())) == all);
      CHECK(MB_CUR_MAX == 6);
      std::size_t in_thread = 0;
      std::thread([&] {
        rank.libc().enter_thread();
        in_thread = MB_CUR_MAX;
      }).join();
      CHECK(in_thread == 6);
    }
  });
  CHECK(MB_CUR_MAX == 1);
}

TEST_CASE("working directory and umask are per rank, or the user is told")
{
  char folder[] = "/tmp/ranklet-cwd-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::filesystem::path before = std::filesystem::current_path();
  FakeJob job(3);
  std::barrier<> together(3);
  std::atomic<bool> own = true;
  job.run([&](FakeRank& rank) {
    if (!rank.libc().own_directory) own = false;
    together.arrive_and_wait();
    if (!own) return;
    if (rank.rank() == 1) {
      CHECK(rank_chdir(folder) == 0);
      rank_umask(0);
    }
    together.arrive_and_wait();
    CHECK((std::filesystem::current_path() == folder) == (rank.rank() == 1));
    const mode_t mask = rank_umask(022);
    CHECK((mask == 0) == (rank.rank() == 1));
    // Threads of the rank are where the rank is.
    std::filesystem::path there;
    std::thread([&] { there = std::filesystem::current_path(); }).join();
    CHECK((there == folder) == (rank.rank() == 1));
  });
  CHECK(std::filesystem::current_path() == before);
  std::filesystem::remove_all(folder);
  if (own) CHECK(job.err.text() == "");
}

TEST_CASE("where unshare is forbidden, a rank that leaves the common directory is told once")
{
  // In a child process: it really changes the directory of all.
  FakeJob job(2);
  const pid_t child = ::fork();
  if (child == 0) {
    for (int r = 0; r < 2; ++r) {
      FakeRank rank(r, job.output, job.input);
      rank.libc().own_directory = false;
      rank_chdir(".");
      if (rank_chdir("/") != 0) ::_exit(1);
      rank_umask(r == 0 ? 0 : 022);
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  const std::vector<std::string> lines = job.err.lines();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("rank 0 calls chdir") != std::string::npos);
}

TEST_CASE("children have the rank's environment and streams")
{
  TypedInput typed("typed\n");
  FakeJob job(2, 1, typed.descriptor());
  job.run([](FakeRank& rank) {
    rank_setenv("WHO", std::to_string(rank.rank()).c_str(), 1);
    rank_printf("before ");
    rank_fflush(rank.out);
    CHECK(rank_system(rank.rank() == 0 ? "exit 3" : "exit 4") == (rank.rank() == 0 ? 3 << 8 : 4 << 8));
    std::FILE* const pipe = rank_popen("echo $WHO; cat", "r");
    REQUIRE(pipe != nullptr);
    char text[64] = "";
    const std::size_t size = std::fread(text, 1, sizeof text - 1, pipe);
    CHECK(std::string(text, size) == (rank.rank() == 0 ? "0\n" : "1\ntyped\n"));
    CHECK(rank_pclose(pipe) == 0);
    CHECK(rank_pclose(pipe) == -1);
    std::FILE* const sink = rank_popen("read word; test $word = $WHO", "w");
    REQUIRE(sink != nullptr);
    std::fprintf(sink, "%d\n", rank.rank());
    CHECK(rank_pclose(sink) == 0);
  });
}

TEST_CASE("fork: the child is an ordinary process with the rank's streams")
{
  FakeJob job(2);
  job.run([](FakeRank& rank) {
    if (rank.rank() != 0) return;
    rank_setenv("WHO", "zero", 1);
    rank_printf("not yet complete ");
    rank_fflush(rank.out);
    const pid_t child = rank_fork();
    if (child == 0) {
      rank_puts("child");
      rank_fflush(nullptr);
      rank_execl("/bin/sh", "sh", "-c", "echo exec $WHO", nullptr);
      ::_exit(1);
    }
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    rank_puts("parent");
    CHECK(rank_execl("/bin/true", "true", nullptr) == -1);
  });
  CHECK(job.out.text() == "child\nexec zero\nnot yet complete parent\n");
  CHECK(job.err.text().find("rank 0 cannot execute /bin/true") != std::string::npos);
}
