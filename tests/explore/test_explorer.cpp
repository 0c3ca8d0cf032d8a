// The arbiter of an explored run, on ranks without the API above it.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "explore/explorer.hpp"
#include "explore/search.hpp"
#include "p2p/p2p.hpp"
#include "support/ranks.hpp"

using namespace ranklet;

namespace {

using Body = std::function<void(Communicator&)>;

const Datatype& int_type()
{
  return predefined(Basic::int_);
}

void send(Communicator& world, int value, int dest)
{
  p2p::send(world, p2p::Mode::standard, &value, 1, int_type(), dest, 0);
}

int receive(Communicator& world, int source = any_source)
{
  int value = -1;
  p2p::receive(world, &value, 1, int_type(), source, 0, nullptr);
  return value;
}

struct Result {
  std::string log;
  std::string why;  // the job was aborted
};

// One run of n ranks by that script.
Result run(int n, const Script& script, const Body& body)
{
  Result result;
  const auto arbiter =
      std::make_shared<Explorer>(script, [&](const std::string& line) { result.log += line + "\n"; });
  JobOptions options;
  options.extensions = {p2p::extension()};
  options.wait = {.spins = 0, .yields = 20, .park = true};
  options.arbiter = arbiter;
  options.on_abort = [&](Rank*, int, const std::string& why) { result.why = why; };
  Job job(n, options);
  std::vector<Rank*> members;
  for (int i = 0; i < n; ++i) members.push_back(&job.rank(i));
  const auto shared = std::make_shared<CommShared>(job, std::make_shared<Group>(members));
  test::run_ranks(job, [&](Rank& rank) {
    job.set_phase(rank, Phase::active);
    Communicator world(rank, shared);
    body(world);
    job.end(rank);
  });
  return result;
}

// A test that finds nothing.
struct VainTest final : Question {
  VainTest() : Question(ChoiceKind::test) {}
};

bool test_in_vain(Rank& self)
{
  VainTest question;
  Arbiter& arbiter = *self.job.options().arbiter;
  const auto ruling = arbiter.begin(self, question);
  arbiter.end(self, ruling.index, {});
  return ruling.forced && ruling.forced->empty();
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_ours = false;
#else
constexpr bool memory_is_ours = true;
#endif

}  // namespace

TEST_CASE("every order of messages is run once")
{
  Search search({});
  std::set<std::string> orders;
  while (const auto script = search.next()) {
    std::string order;
    const Result result = run(3, *script, [&](Communicator& world) {
      if (world.rank() > 0)
        for (int i = 0; i < 2; ++i) send(world, world.rank(), 0);
      else
        for (int i = 0; i < 4; ++i) order += std::to_string(receive(world));
    });
    CHECK(result.why.empty());
    CHECK(result.log.ends_with("end\n"));
    CHECK(orders.insert(order).second);
    search.learn(result.log);
  }
  CHECK(orders.size() == 6);
  CHECK(search.complete());
  CHECK(search.impossible() == 0);
}

TEST_CASE("a rank that fails lets the others go first")
{
  // Rank 2's message comes after rank 0 has failed, and could have come before.
  const Result result = run(4, {}, [&](Communicator& world) {
    if (world.rank() == 1) send(world, 1, 0);
    if (world.rank() == 3) send(world, 3, 2);
    if (world.rank() == 2) send(world, receive(world), 0);
    if (world.rank() != 0) return;
    CHECK(receive(world) == 1);
    world.self().job.abort(&world.self(), 1, "one is first");
  });
  CHECK(result.why == "one is first");
  CHECK(result.log == "0 0 receive 1 0\n2 0 receive 3 0\nlate 0 0 receive 2 0\nfailed\n");
}

TEST_CASE("a script that does not fit is no deadlock")
{
  const auto body = [](Communicator& world) {
    if (world.rank() == 1) send(world, 1, 0);
    if (world.rank() == 0) receive(world);
  };
  Script script;
  script.decisions.push_back({0, 0, ChoiceKind::receive, {1, 7}});
  Result result = run(2, script, body);
  CHECK(result.log == "impossible\n");
  CHECK(
      result.why.starts_with("the token does not fit: decision 1 of 1 has not become possible\n"
                             "  rank 0  choice 0 was to be receive: a message from 1 with tag 7, and waits"));
  script.decisions[0] = {1, 0, ChoiceKind::receive, {0, 0}};
  result = run(2, script, body);
  CHECK(result.why.empty());
  CHECK(result.log == "0 0 receive 1 0\nimpossible\n");
}

TEST_CASE("tests in vain are no livelock while something outside may come")
{
  using Clock = std::chrono::steady_clock;
  const Result result = run(2, {}, [&](Communicator& world) {
    if (world.rank() != 0) return static_cast<void>(receive(world, 0));
    world.self().outside_events.add(1);
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < 2000 || Clock::now() - begin < std::chrono::milliseconds(3300); ++i)
      if (!test_in_vain(world.self())) FAIL_CHECK("it has found something");
    send(world, 0, 1);
  });
  CAPTURE(result.why);
  CHECK(result.log.ends_with("end\n"));
}

TEST_CASE("many decisions take little memory")
{
  constexpr int receives = 3000;
  struct rusage before {
  }, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const Result result = run(2, {}, [&](Communicator& world) {
    for (int i = 0; i < receives; ++i)
      if (world.rank() == 0)
        CHECK(receive(world) == i);
      else
        send(world, i, 0);
  });
  ::getrusage(RUSAGE_SELF, &after);
  CHECK(result.log.ends_with("end\n"));
  if (memory_is_ours) CHECK(after.ru_maxrss - before.ru_maxrss < 50 * 1024);
}
