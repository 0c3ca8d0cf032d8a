#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

#include "explore/search.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

// What a run decided, by rank and index.
using Course = std::map<std::pair<int, int>, Outcome>;

Course course_of(const Script& script)
{
  Course course;
  for (const Decision& decision : script.decisions)
    course[{decision.rank, decision.index}] = decision.outcome;
  return course;
}

// Explores a program given as a function of what is decided: the outcomes of the next choice of rank 0, empty
// at the end.
std::set<Course> explore(Search& search, const std::function<std::vector<Outcome>(const Course&)>& options)
{
  std::set<Course> seen;
  while (const auto script = search.next()) {
    Course course = course_of(*script);
    std::string log;
    for (auto next = options(course); !next.empty(); next = options(course)) {
      const int index = static_cast<int>(course.size());
      log += Script::line({0, index, ChoiceKind::receive, next[0]});
      for (std::size_t i = 1; i < next.size(); ++i) log += " | " + outcome_text(next[i]);
      log += "\n";
      course[{0, index}] = next[0];
    }
    search.learn(log);
    CHECK(course_of(search.decisions()) == course);
    CHECK_MESSAGE(seen.insert(course).second, "repeated");
  }
  return seen;
}

std::vector<Outcome> sources(int n)
{
  std::vector<Outcome> outcomes;
  for (int i = 0; i < n; ++i) outcomes.push_back({i, 0});
  return outcomes;
}

}  // namespace

TEST_CASE("a program without choices runs once")
{
  Search search({});
  CHECK(explore(search, [](const Course&) { return std::vector<Outcome>(); }).size() == 1);
  CHECK(search.complete());
  CHECK(search.runs() == 1);
}

TEST_CASE("all combinations are run, each once")
{
  Search search({0, 0});
  const auto seen = explore(search, [](const Course& course) {
    return sources(course.size() < 4 ? static_cast<int>(course.size()) + 2 : 0);
  });
  CHECK(seen.size() == 2 * 3 * 4 * 5);
  CHECK(search.complete());
  CHECK(search.most_decisions() == 4);
}

TEST_CASE("random trees are walked as a recursion walks them")
{
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    // The number of outcomes follows from the course.
    const auto options = [&](const Course& course) {
      std::seed_seq mixed{seed, static_cast<unsigned>(std::hash<std::string>()([&] {
                            std::string text;
                            for (const auto& [choice, outcome] : course) text += outcome_text(outcome) + ",";
                            return text;
                          }()))};
      std::mt19937 random(mixed);
      return sources(course.size() < 6 ? static_cast<int>(random() % 4) : 0);
    };
    std::size_t expected = 0;
    const std::function<void(Course)> walk = [&](Course course) {
      const auto next = options(course);
      if (next.empty()) ++expected;
      for (const Outcome& outcome : next) {
        Course longer = course;
        longer[{0, static_cast<int>(course.size())}] = outcome;
        walk(longer);
      }
    };
    walk({});
    Search search({0, 0});
    CHECK(explore(search, options).size() == expected);
  }
}

TEST_CASE("late outcomes are tried, impossible runs are not counted, limits hold")
{
  Search search({10, 0});
  REQUIRE(search.next());
  search.learn("0 0 receive 1 0\n1 0 receive 5 0\nlate 0 0 receive 2 0\nlate 0 0 receive 2 0\n");
  CHECK(search.untried() == 1);
  auto script = search.next();
  REQUIRE(script);
  CHECK(course_of(*script) == Course{{{0, 0}, {2, 0}}});
  search.learn("1 0 receive 5 0 | 6 0\nimpossible\n");
  CHECK(search.state() == "impossible");
  script = search.next();
  REQUIRE(script);
  CHECK(course_of(*script) == Course{{{0, 0}, {2, 0}}, {{1, 0}, {6, 0}}});
  search.learn("deadlock\n");
  CHECK(search.state() == "deadlock");
  CHECK_FALSE(search.next());
  CHECK(search.complete());
  CHECK(search.runs() == 2);
  CHECK(search.impossible() == 1);

  Search limited({2, 0});
  CHECK(explore(limited, [](const Course& course) { return sources(course.empty() ? 5 : 0); }).size() == 2);
  CHECK_FALSE(limited.complete());
  CHECK(limited.untried() == 3);
}

TEST_CASE("runs are grouped, with a token for each group")
{
  Search search({});
  RunResults results;
  int run = 0;
  while (search.next()) {
    search.learn(run == 0 ? "0 0 receive 1 0 | 2 0 | 3 0\n" : "");
    results.add(search, {run == 1, run == 1 ? "deadlock" : "same", "report " + std::to_string(run)});
    ++run;
  }
  CHECK(results.failures() == 1);
  CHECK(results.results() == 1);
  const std::string text = results.text(search);
  CAPTURE(text);
  CHECK(text.find("explored 3 runs: 1 fails, 1 result\n") == 0);
  CHECK(text.find("1 run: deadlock\n    report 1\n    replay: explored:0.0r2.0\n") != text.npos);
  CHECK(text.find("complete: every way") != text.npos);
}

TEST_CASE("a run of which nothing was learned leaves the search incomplete")
{
  Search search({});
  REQUIRE(search.next());
  CHECK_FALSE(search.complete());
  search.learn("0 0 receive 1 0 | 2 0\nend\n");
  REQUIRE(search.next());
  CHECK_FALSE(search.complete());
  CHECK(search.untried() == 1);
  search.learn("end\n");
  CHECK(search.complete());
}

TEST_CASE("a replay is complete only as a replay")
{
  for (const char* const log : {"end\n", "impossible\n"}) {
    const bool impossible = std::string(log) == "impossible\n";
    Script token;
    token.decisions.push_back({0, 0, ChoiceKind::receive, {2, 0}});
    Search search({1, 0}, token, true);
    RunResults results;
    while (search.next()) {
      search.learn(log);
      results.add(search, {impossible, search.state(), ""});
    }
    CHECK_FALSE(search.complete());
    CHECK(search.runs() == 1);
    CHECK(results.failures() == (impossible ? 1 : 0));
    CHECK(results.text(search).find("complete") == std::string::npos);
  }
}

TEST_CASE("failed runs that have not come to their end hide outcomes")
{
  const auto learned = [](const char* log, bool failed) {
    Search search({});
    search.next();
    search.learn(log, failed);
    CHECK(search.complete() == (RunResults().text(search).find("  complete") != std::string::npos));
    return search.complete();
  };
  CHECK(learned("0 0 receive 1 0\n", false));
  CHECK_FALSE(learned("0 0 receive 1 0\n", true));
  CHECK(learned("0 0 receive 1 0\nfailed\n", true));
  CHECK(learned("0 0 receive 1 0\nend\n", true));
  CHECK(learned("0 0 receive 1 0\ndeadlock\n", true));
  CHECK_FALSE(learned("note tests\nend\n", false));
}

TEST_CASE("a log that a crash has cut off, or that is none")
{
  Search search({});
  search.next();
  search.learn("0 0 receive 1 0 | 2 0\n1 0 receive 5", true);
  CHECK(search.decisions().decisions.size() == 1);
  CHECK(search.untried() == 1);
  for (const char* const bad : {"late \n", "late 0\n", "|\n", "0 0 receive 1 0 | x\n", "ranks 3\n"}) {
    CAPTURE(bad);
    search.next();
    CHECK_THROWS_AS(search.learn(bad), const Error&);
  }
}

TEST_CASE("what is left out is said where it matters")
{
  const auto text_of = [](const char* log) {
    Search search({});
    search.next();
    search.learn(log);
    return RunResults().text(search);
  };
  const std::string some = "MPI_Waitsome and MPI_Testsome: all complete requests together, and each alone";
  const std::string tests = "find nothing at most once in a row";
  CHECK(text_of("0 0 waitany 1 | 2\n").find(some) == std::string::npos);
  CHECK(text_of("0 0 waitany 1 | 2\n").find(tests) == std::string::npos);
  CHECK(text_of("0 0 waitsome 1 2 | 1 | 2\n").find(some) != std::string::npos);
  CHECK(text_of("0 0 test 0 | none\n").find(tests) != std::string::npos);
  CHECK(text_of("0 0 waitany 1 | 2\n").find("MPI_Win_test") == std::string::npos);
  CHECK(text_of("note look\n").find("MPI_Win_test") != std::string::npos);
  CHECK(text_of("note cancel\n").find("MPI_Cancel") != std::string::npos);
  CHECK(text_of("").find("--sends") == std::string::npos);
  CHECK(text_of("0 0 waitany 1 | 2\n").find("--sends buffer") != std::string::npos);
}
