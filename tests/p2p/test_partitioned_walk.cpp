// Partitions that become ready one by one, in all executions: several threads that say so, receives that
// start early, late and before they have a send, several rounds, and who asks what has arrived.
#include <array>

#include "memmodel/walked_lock.hpp"
#include "memmodel/walks.hpp"
#include "p2p/partition_flags.hpp"

namespace partitioned_walk {

using namespace ranklet::explore;
using ranklet::Count;
using ranklet::Holder;
using ranklet::memmodel::Flag;
using ranklet::memmodel::SpinLock;
using ranklet::p2p::Division;

namespace {

using Flags = ranklet::p2p::PartitionFlags<Explored>;

// In order of construction; behind them a meeting for each partition of the send, and what is left of each of
// the receive.
enum Location { remaining = 0, sent = 1, received = 2, lock = 3, helper = 4, told = 5, first_meeting = 6 };

enum class Fault { none, opens_before_it_expects, starts_again_early, is_ready_before_it_writes };

struct Case {
  Division from, to;
  int rounds = 1;
  bool send_comes_late = false;  // maybe behind the start of the receive
  bool two_threads = false;      // of the sender, each with one of two partitions
  bool asks = false;             // the receiver, what has arrived
  bool in_turn = false;          // a partition is ready when the one before is known to have arrived
  Fault fault = Fault::none;
};

struct State {
  explicit State(Case in_case) : c(in_case)
  {
    flags.meetings = Flags::MeetingArray(static_cast<std::size_t>(c.from.count));
    flags.left = Flags::Left(static_cast<std::size_t>(c.to.count));
    has_send.set(c.send_comes_late ? 0 : 1);
  }

  const Case c;
  Flags flags;
  Flag<Explored> sent, received;  // ends of the two requests
  // As those of matching.
  SpinLock<Explored> lock;
  Explored::data<int> has_send, receive_has_started;
  Flag<Explored> helps, told;
  std::array<Explored::data<int>, 4> source, destination;

  static int value(int round, Count at) { return 10 * round + static_cast<int>(at); }

  void move(int partition)
  {
    const bool last = flags.move(partition, c.from, c.to, [&](Count begin, Count bytes) {
      for (Count at = begin; at < begin + bytes; ++at)
        destination[static_cast<std::size_t>(at)].set(source[static_cast<std::size_t>(at)].get());
    });
    if (!last) return;
    received.set();
    sent.set();
  }
  void open(bool odd)
  {
    flags.open(odd, c.from, [this](int partition) { move(partition); });
  }
  void fill(int round, int partition)
  {
    for (Count at = partition * c.from.bytes; at < (partition + 1) * c.from.bytes; ++at)
      source[static_cast<std::size_t>(at)].set(value(round, at));
  }
  void make_ready(int round, int partition)
  {
    if (c.fault != Fault::is_ready_before_it_writes) fill(round, partition);
    if (flags.ready(partition, round % 2 != 0) == Flags::Arrival::second) move(partition);
    if (c.fault == Fault::is_ready_before_it_writes) fill(round, partition);
  }
  void check_data(int round, int partition)
  {
    for (Count at = partition * c.to.bytes; at < (partition + 1) * c.to.bytes; ++at)
      Explored::check(destination[static_cast<std::size_t>(at)].get() == value(round, at), "wrong data");
  }

  void initialize_send()
  {
    const Holder guard(lock);
    has_send.set(1);
    if (receive_has_started.get() != 0) open(true);
  }
  void start_receive(int round)
  {
    received.reset();
    if (c.fault != Fault::opens_before_it_expects) flags.expect(c.to);
    if (round == 1) {
      const Holder guard(lock);
      receive_has_started.set(1);
      if (has_send.get() == 0) return;
    }
    open(round % 2 != 0);
    if (c.fault == Fault::opens_before_it_expects) flags.expect(c.to);
  }
};

auto rounds(Case c)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>(c);
    scenario.thread([=] {
      if (c.send_comes_late) s->initialize_send();
      for (int round = 1; round <= c.rounds; ++round) {
        s->sent.reset();
        if (c.two_threads) s->helps.set();
        for (int i = c.two_threads ? 1 : 0; i < c.from.count; ++i) {
          if (c.in_turn && i > 0) Explored::await([&] { return s->told.is_set(); });
          s->make_ready(round, i);
        }
        if (c.fault == Fault::starts_again_early) continue;
        Explored::await([&] { return s->sent.is_set(); });
        // The buffer is the user's again.
        s->source[0].set(0);
      }
    });
    if (c.two_threads)
      scenario.thread([=] {
        Explored::await([&] { return s->helps.is_set(); });
        s->make_ready(1, 0);
      });
    scenario.thread([=] {
      for (int round = 1; round <= c.rounds; ++round) {
        s->start_receive(round);
        const auto has_arrived = [&](int partition) {
          return s->received.is_set() ||
                 s->flags.has_arrived(partition, c.from, c.to, [&] { return s->received.is_set(); });
        };
        for (int i = 0; i < c.to.count && c.asks; ++i) {
          Explored::await([&] { return has_arrived(i); });
          s->check_data(round, i);
          if (c.in_turn) s->told.set();
        }
        if (c.asks) Explored::check(s->received.is_set(), "all has arrived, and it is not complete");
        Explored::await([&] { return s->received.is_set(); });
        for (int i = 0; i < c.to.count; ++i) s->check_data(round, i);
      }
    });
  };
}

constexpr Division one{1, 1}, one_of_two{1, 2}, two{2, 1}, two_of_two{2, 2};

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("partitions: each is moved once, by whoever comes second")
{
  expect_correct("partitions, 2 to 2", {}, rounds({.from = two, .to = two}));
  expect_correct("partitions, 2 to 1", {}, rounds({.from = two, .to = one_of_two}));
  expect_correct("partitions, 1 to 2", {}, rounds({.from = one_of_two, .to = two}));
  // What does not fit is not moved, and what nobody sends is not waited for.
  expect_correct("partitions, too many", {}, rounds({.from = two_of_two, .to = one_of_two}));
  expect_correct("partitions, 2 rounds", {}, rounds({.from = one, .to = one, .rounds = 2}));
  expect_correct("partitions, 2 to 1, 2 rounds", {}, rounds({.from = two, .to = one_of_two, .rounds = 2}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("partitions, a late send", {}, rounds({.from = two, .to = two, .send_comes_late = true}));
  expect_correct("partitions, a late send, 2 rounds", {},
                 rounds({.from = one, .to = one, .rounds = 2, .send_comes_late = true}),
                 {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("partitions: what has arrived can be read, and when all has it is complete")
{
  Options options;
  options.stale_reads = 1;
  expect_correct("partitions asked for, 2 to 2", options, rounds({.from = two, .to = two, .asks = true}));
  expect_correct("partitions asked for, 2 to 1", options,
                 rounds({.from = two, .to = one_of_two, .asks = true}));
  expect_correct("partitions in turn", {}, rounds({.from = two, .to = two, .asks = true, .in_turn = true}));
  expect_correct("partitions asked for, 2 rounds", {},
                 rounds({.from = one, .to = one, .rounds = 2, .asks = true}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("partitions asked for, 2 threads", {},
                 rounds({.from = two, .to = one_of_two, .two_threads = true, .asks = true}),
                 {Memory::interleaved});
}

TEST_CASE("partitions: two threads say that they are ready")
{
  expect_correct("partitions, 2 to 1, 2 threads", {},
                 rounds({.from = two, .to = one_of_two, .two_threads = true}),
                 {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("partitions: a planted fault is found")
{
  expect_failure(
      "partitions, opened before they are expected", {},
      rounds(
          {.from = two, .to = two, .asks = true, .in_turn = true, .fault = Fault::opens_before_it_expects}),
      "nobody can go on");
  expect_failure("partitions, next round early", {},
                 rounds({.from = one, .to = one, .rounds = 2, .fault = Fault::starts_again_early}), "");
  expect_failure("partitions, ready before they are written", {},
                 rounds({.from = one, .to = one, .fault = Fault::is_ready_before_it_writes}), "");
  const Case two_threads{.from = two, .to = one_of_two, .two_threads = true};
  Case asks{.from = two, .to = two, .asks = true};
  const auto relaxed = [](const char* what, Access access, std::vector<int> locations, const Case& c) {
    expect_failure(std::string("partitions, relaxed ") + what, relaxed_at({}, access, std::move(locations)),
                   rounds(c), "data race");
  };
  relaxed("meeting", Access::update, {first_meeting}, two_threads);
  relaxed("remaining", Access::update, {remaining}, two_threads);
  const int left = first_meeting + two.count;
  relaxed("left, counted", Access::update, {left}, asks);
  relaxed("left, asked", Access::load, {left}, asks);
}

TEST_SUITE_END();

}  // namespace partitioned_walk
