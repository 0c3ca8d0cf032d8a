#include "libc/getopt.hpp"

#include <cstring>
#include <random>

#include "libc/fake_job.hpp"

using namespace ranklet::loader;

namespace {

const Overriding<int(int, char* const*, const char*)> rank_getopt{"getopt"};
using LongFunction = int(int, char* const*, const char*, const option*, int*);
const Overriding<LongFunction> rank_getopt_long{"getopt_long"};
const Overriding<LongFunction> rank_getopt_long_only{"getopt_long_only"};

// What one run over a command line yields: all results, variables and the final order of the arguments.
struct Parse {
  std::string trace;
  std::string messages;
};

struct Arguments {
  explicit Arguments(const std::vector<std::string>& words) : texts(words)
  {
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  int count() const { return static_cast<int>(texts.size()); }

  std::vector<std::string> texts;
  std::vector<char*> pointers;
};

int flag_variable;

const option long_options[] = {
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"file", required_argument, nullptr, 'f'},
    {"filename", required_argument, nullptr, 'f'},
    {"colour", optional_argument, nullptr, 'c'},
    {"color", optional_argument, nullptr, 'c'},
    {"flag", no_argument, &flag_variable, 5},
    {"a", no_argument, nullptr, 1000},
    {nullptr, 0, nullptr, 0},
};

template <class Next>
std::string trace_of(Arguments& arguments, char*& argument, int& index, int& bad, Next next)
{
  std::string trace;
  flag_variable = 0;
  for (int step = 0; step < 30; ++step) {
    int long_index = -1;
    const int result = next(&long_index);
    trace += std::to_string(result) + " optind=" + std::to_string(index) +
             " optarg=" + (argument == nullptr ? "(null)" : argument) + " long=" + std::to_string(long_index);
    if (result == '?' || result == ':') trace += " optopt=" + std::to_string(bad);
    trace += '\n';
    if (result == -1) break;
  }
  trace += "flag=" + std::to_string(flag_variable) + " argv:";
  for (const char* text : arguments.pointers) trace += std::string(" ") + (text == nullptr ? "(end)" : text);
  return trace;
}

int call(int which, bool ours, Arguments& arguments, const char* short_options, int* long_index)
{
  const int count = arguments.count();
  char** const words = arguments.pointers.data();
  if (which == 0) return (ours ? rank_getopt : ::getopt)(count, words, short_options);
  if (which == 1)
    return (ours ? rank_getopt_long : ::getopt_long)(count, words, short_options, long_options, long_index);
  return (ours ? rank_getopt_long_only : ::getopt_long_only)(count, words, short_options, long_options,
                                                             long_index);
}

Parse parse_by_libc(int which, std::vector<std::string> words, const char* short_options, bool print)
{
  Arguments arguments(words);
  Capture messages;
  std::fflush(stderr);
  const int saved = ::dup(2);
  ::dup2(messages.descriptor(), 2);
  ::optind = 0;
  ::opterr = print ? 1 : 0;
  ::optarg = nullptr;
  Parse result;
  result.trace = trace_of(arguments, ::optarg, ::optind, ::optopt,
                          [&](int* index) { return call(which, false, arguments, short_options, index); });
  ::dup2(saved, 2);
  ::close(saved);
  result.messages = messages.text();
  return result;
}

Parse parse_by_us(int which, std::vector<std::string> words, const char* short_options, bool print)
{
  Arguments arguments(words);
  FakeJob job(1);
  Parse result;
  job.run([&](FakeRank& rank) {
    rank.optind_ = 0;
    rank.opterr_ = print ? 1 : 0;
    result.trace = trace_of(arguments, rank.optarg_, rank.optind_, rank.optopt_,
                            [&](int* index) { return call(which, true, arguments, short_options, index); });
  });
  result.messages = job.err.text();
  return result;
}

}  // namespace

TEST_CASE("a plain command line")
{
  Arguments arguments({"prog", "file", "-ab", "value", "-c", "--", "-d"});
  FakeJob job(1);
  job.run([&](FakeRank& rank) {
    CHECK(rank.optind_ == 1);
    CHECK(rank_getopt(arguments.count(), arguments.pointers.data(), "ab:cd") == 'a');
    CHECK(rank_getopt(arguments.count(), arguments.pointers.data(), "ab:cd") == 'b');
    CHECK(std::string(rank.optarg_) == "value");
    CHECK(rank_getopt(arguments.count(), arguments.pointers.data(), "ab:cd") == 'c');
    CHECK(rank_getopt(arguments.count(), arguments.pointers.data(), "ab:cd") == -1);
    CHECK(rank.optind_ == 5);
    CHECK(std::string(arguments.pointers[5]) == "file");
    CHECK(std::string(arguments.pointers[6]) == "-d");
  });
}

TEST_CASE("results, variables, permutations and messages are glibc's on random command lines")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const char* const words[] = {"-a",     "-b",       "-bvalue",  "-ab",       "-c",         "-cx",
                               "-abc",   "-x",       "-",        "--",        "operand",    "other",
                               "-:",     "-;",       "--file",   "--file=1",  "--fil",      "--filename",
                               "--ver",  "--verb",   "--flag",   "--flag=2",  "--colo",     "--color=red",
                               "--nope", "--nope=1", "-Wfile=2", "-Wverbose", "-W",         "-verbose",
                               "-file",  "-fil=3",   "-colour",  "-ver",      "--verbose=", "-f"};
  const char* const shorts[] = {"ab:c::",  "+ab:c::",  "-ab:c::", ":ab:c::", "ab:c::W;",
                                "+:ab:W;", "abcfvW;:", "",        "-:b:",    "a"};
  for (int round = 0; round < 1500; ++round) {
    std::vector<std::string> line = {"prog"};
    for (auto count = random() % 7; count > 0; --count) line.emplace_back(words[random() % std::size(words)]);
    const char* const short_options = shorts[random() % std::size(shorts)];
    const int which = static_cast<int>(random() % 3);
    const bool print = random() % 4 != 0;
    std::string text = std::string(short_options) + " |";
    for (const std::string& word : line) text += ' ' + word;
    CAPTURE(text);
    CAPTURE(which);
    const Parse theirs = parse_by_libc(which, line, short_options, print);
    const Parse ours = parse_by_us(which, line, short_options, print);
    REQUIRE(ours.trace == theirs.trace);
    REQUIRE(ours.messages == theirs.messages);
  }
}

TEST_CASE("ranks parse different command lines at the same time")
{
  FakeJob job(6);
  job.run([](FakeRank& rank) {
    std::vector<std::string> words = {"prog"};
    for (int i = 0; i < 200; ++i) {
      words.emplace_back("-n");
      words.push_back(std::to_string(rank.rank() * 1000 + i));
    }
    Arguments arguments(words);
    for (int i = 0; i < 200; ++i) {
      CHECK(rank_getopt(arguments.count(), arguments.pointers.data(), "n:") == 'n');
      CHECK(std::string(rank.optarg_) == std::to_string(rank.rank() * 1000 + i));
    }
    CHECK(rank_getopt(arguments.count(), arguments.pointers.data(), "n:") == -1);
  });
}
