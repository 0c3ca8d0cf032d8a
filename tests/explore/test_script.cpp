#include <doctest/doctest.h>

#include "explore/script.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

const char* const script_text =
    "# a comment\n"
    "ranks 3\n"
    "0 0 receive 2 7\n"
    "1 0 waitsome 0 3 4   # another\n"
    "\n"
    "1 1 test none\n"
    "0 1 iprobe none\n"
    "end 1 2\n";

bool equal(const Decision& a, const Decision& b)
{
  return a.rank == b.rank && a.index == b.index && a.kind == b.kind && a.outcome == b.outcome &&
         a.job == b.job;
}

}  // namespace

TEST_CASE("a script's text is read")
{
  const Script script = Script::parse(script_text);
  CHECK(script.ranks == 3);
  REQUIRE(script.decisions.size() == 4);
  CHECK(equal(script.decisions[0], {0, 0, ChoiceKind::receive, {2, 7}}));
  CHECK(equal(script.decisions[1], {1, 0, ChoiceKind::waitsome, {0, 3, 4}}));
  CHECK(equal(script.decisions[2], {1, 1, ChoiceKind::test, {}}));
  CHECK(script.ends == std::map<std::vector<int>, int>{{{1}, 2}});
  CHECK(Script::parse("end 2147483647 0").ends.size() == 1);
}

TEST_CASE("every decision survives its line and its token")
{
  Script script;
  for (std::size_t i = 0; i < choice_names.size(); ++i) {
    const auto kind = static_cast<ChoiceKind>(i);
    const int n = static_cast<int>(i);
    script.decisions.push_back({n, n + 1, kind, is_about_messages(kind) ? Outcome{n, 1000} : Outcome{n}});
    if (may_find_nothing(kind)) script.decisions.push_back({n, n + 2, kind, {}});
  }
  std::string lines;
  for (const Decision& decision : script.decisions) lines += Script::line(decision) + "\n";
  const Script read = Script::parse(lines);
  const Script token = Script::of_token(script.token());
  REQUIRE(read.decisions.size() == script.decisions.size());
  REQUIRE(token.decisions.size() == script.decisions.size());
  for (std::size_t i = 0; i < script.decisions.size(); ++i) {
    CHECK(equal(read.decisions[i], script.decisions[i]));
    CHECK(equal(token.decisions[i], script.decisions[i]));
  }
  CHECK(token.ranks == 0);
  CHECK(Script::of_token(Script().token()).decisions.empty());
  script.ranks = 20;
  for (const char* const modes : {"", "check,sends=buffer"}) {
    script.modes = modes;
    const Script whole = Script::of_token(script.token());
    CHECK(whole.ranks == 20);
    CHECK(whole.modes == modes);
    CHECK(whole.decisions.size() == script.decisions.size());
  }
}

TEST_CASE("ranks of jobs that ranks have started")
{
  const Script script = Script::parse("0:1:2 5 accept 3 0 1\nend 0:1:2 6\n");
  REQUIRE(script.decisions.size() == 1);
  CHECK(equal(script.decisions[0], {2, 5, ChoiceKind::accept, {3, 0, 1}, {0, 1}}));
  CHECK(Script::line(script.decisions[0]) == "0:1:2 5 accept 3 0 1");
  CHECK(script.ends == std::map<std::vector<int>, int>{{{0, 1, 2}, 6}});
}

TEST_CASE("what is no script is refused with its line")
{
  for (const char* const bad :
       {"0 0 fetch 1 2", "0 0 receive 1", "0 0 receive none", "0 x receive 1 2", "0 0", "-1 0 receive 1 2",
        "0 0 waitany none", "0 0 accept 0 1", "0:1 0 receive 1 2", "0:-1:0 0 receive 1 2", "end 0:1 3",
        "end -1 3", "0 0 receive 1 2x"}) {
    CAPTURE(bad);
    try {
      Script::parse(std::string("ranks 2\n") + bad);
      FAIL("is taken");
    } catch (const Error& error) {
      CHECK(error.message().find("line 2") != std::string::npos);
    }
  }
  for (const char* const bad : {"explored", "explored:0r1.2", "explored:0.0z1", "explored:0.0r1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(Script::of_token(bad), const Error&);
  }
  CHECK_THROWS_AS(Script::read("/there/is/no/such/file"), const Error&);
}
