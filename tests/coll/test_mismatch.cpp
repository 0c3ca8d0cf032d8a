// What members see who do not call the same collective in the same way: an error that names both calls, on at
// least one of them, and no hang.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/zeroed.hpp"
#include "coll/random_case.hpp"
#include "coll/round.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using coll::Blocks;
using coll::Life;
using test::Form;
using test::int_type;
using test::sum_op;

namespace {

const Op& maximum = predefined(OpKind::max);
constexpr int most = 17;

// Buffers that are large enough for all calls here, and counts and places for the variants.
struct Memory {
  ZeroedArray<int> in = ZeroedArray<int>(4096 * most), out = ZeroedArray<int>(4096 * most);
  std::vector<int> counts = std::vector<int>(most), places = counts;
};

// A call that each member makes, with the things that may be wrong at one of them.
struct Given {
  Communicator& comm;
  Memory& memory;
  Count count;
  int root;
  const Op& op;
  Form form;

  template <class Blocking, class Start, class... Args>
  void call(Blocking blocking, Start start, const Args&... args) const
  {
    test::call(form, blocking, start, comm, args...);
  }
  Blocks blocks(ZeroedArray<int>& buffer) const { return {buffer.data(), count, &int_type}; }
  coll::Part part(ZeroedArray<int>& buffer) const { return {buffer.data(), count, &int_type}; }
};

struct Collective {
  std::string name;
  void (*run)(const Given& g);
  bool rooted, reduces, sized;
};

const Collective collectives[] = {
    {"barrier", [](const Given& g) { g.call(coll::barrier, coll::ibarrier); }, false, false, false},
    {"bcast", [](const Given& g) { g.call(coll::bcast, coll::ibcast, g.part(g.memory.in), g.root); }, true,
     false, true},
    {"gather",
     [](const Given& g) {
       g.call(coll::gather, test::igather<>, g.part(g.memory.in), g.blocks(g.memory.out), g.root);
     },
     true, false, true},
    {"scatter",
     [](const Given& g) {
       g.call(coll::scatter, test::iscatter<>, g.blocks(g.memory.in), g.part(g.memory.out), g.root);
     },
     true, false, true},
    {"allgather",
     [](const Given& g) {
       g.call(coll::allgather, coll::iallgather, g.part(g.memory.in), g.blocks(g.memory.out));
     },
     false, false, true},
    {"alltoall",
     [](const Given& g) {
       g.call(coll::alltoall, coll::ialltoall, g.blocks(g.memory.in), g.blocks(g.memory.out));
     },
     false, false, true},
    {"reduce",
     [](const Given& g) {
       g.call(coll::reduce, coll::ireduce, g.memory.in.data(), g.memory.out.data(), g.count, int_type, g.op,
              g.root);
     },
     true, true, true},
    {"allreduce",
     [](const Given& g) {
       g.call(coll::allreduce, coll::iallreduce, g.memory.in.data(), g.memory.out.data(), g.count, int_type,
              g.op);
     },
     false, true, true},
    {"reduce_scatter_block",
     [](const Given& g) {
       g.call(coll::reduce_scatter_block, coll::ireduce_scatter_block, g.memory.in.data(),
              g.memory.out.data(), g.count, int_type, g.op);
     },
     false, true, true},
    {"scan",
     [](const Given& g) {
       g.call(coll::scan, coll::iscan, g.memory.in.data(), g.memory.out.data(), g.count, int_type, g.op);
     },
     false, true, true},
    {"exscan",
     [](const Given& g) {
       g.call(coll::exscan, coll::iexscan, g.memory.in.data(), g.memory.out.data(), g.count, int_type, g.op);
     },
     false, true, true},
};

// Runs the action on all members, told on the last one to do something wrong, and then a blocking barrier,
// where at the latest they meet. At least one member must see an error of that class; the text, which names
// both calls, is returned.
using Action = std::function<void(const Collective&, Communicator&, Memory&, bool is_wrong)>;
std::string outcome(int members, const Collective& collective, ErrorClass expected, const Action& action,
                    bool meet_again = true)
{
  std::mutex lock;
  int errors = 0;
  std::string text;
  test::run(members, [&](Rank&, Communicator& world) {
    Memory memory;
    const auto watch = [&](auto step) {
      try {
        step();
      } catch (const Error& error) {
        const std::lock_guard guard(lock);
        if (error.error_class() != expected) return;
        ++errors;
        if (text.size() < error.message().size()) text = error.message();
      }
    };
    watch([&] { action(collective, world, memory, world.rank() == world.size() - 1); });
    if (meet_again) watch([&] { coll::barrier(world); });
  });
  CHECK_MESSAGE(errors > 0, collective.name << " on " << members);
  return text;
}

constexpr int sizes[] = {2, 3, 9, 17};

}  // namespace

TEST_CASE("another root")
{
  for (const int members : sizes)
    for (const Form form : test::all_forms)
      for (const Count count : {1, 3000})
        for (const Collective& collective : collectives) {
          if (!collective.rooted) continue;
          CAPTURE(collective.name);
          CAPTURE(members);
          CAPTURE(count);
          CAPTURE(static_cast<int>(form));
          const std::string text = outcome(members, collective, ErrorClass::root,
                                           [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
                                             c.run({comm, memory, count, is_wrong ? 1 : 0, sum_op, form});
                                           });
          CHECK(text.find("root 0") != text.npos);
          CHECK(text.find("root 1") != text.npos);
        }
}

TEST_CASE("another operator")
{
  for (const int members : {2, 9})
    for (const Form form : test::all_forms)
      for (const Count count : {1, 3000})
        for (const Collective& collective : collectives) {
          if (!collective.reduces) continue;
          CAPTURE(collective.name);
          CAPTURE(members);
          const std::string text = outcome(
              members, collective, ErrorClass::op, [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
                c.run({comm, memory, count, 0, is_wrong ? maximum : sum_op, form});
              });
          CHECK(text.find("MPI_MAX") != text.npos);
          CHECK(text.find("MPI_SUM") != text.npos);
        }
}

TEST_CASE("another amount of data")
{
  for (const int members : {2, 9})
    for (const Form form : test::all_forms)
      // Seven more than 1020 or 4090 go another way: above 4 KiB not by copies, above 16 KiB not by swapped
      // blocks.
      for (const Count count : {1, 10, 1020, 4090})
        for (const Collective& collective : collectives) {
          if (!collective.sized) continue;
          CAPTURE(collective.name);
          CAPTURE(members);
          CAPTURE(count);
          outcome(members, collective, ErrorClass::truncate,
                  [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
                    c.run({comm, memory, is_wrong ? count + 7 : count, 0, sum_op, form});
                  });
        }
}

TEST_CASE("an amount that goes another way, where the last of many does it for all")
{
  struct Size {
    int members;
    Count other;
  };
  for (const Size size : {Size{17, 3000}, Size{70, 900}})
    for (const Collective& c : collectives)
      for (const Form form : test::all_forms) {
        if (!c.sized || c.rooted) continue;
        CAPTURE(c.name);
        CAPTURE(size.members);
        CAPTURE(static_cast<int>(form));
        outcome(size.members, c, ErrorClass::truncate,
                [&](auto& collective, auto& comm, auto& memory, bool is_wrong) {
                  collective.run({comm, memory, is_wrong ? size.other : 1, 0, sum_op, form});
                });
        // Its own two amounts differ.
        if (c.name == "alltoall")
          outcome(size.members, c, ErrorClass::truncate, [&](auto&, auto& comm, auto& memory, bool is_wrong) {
            const Given g{comm, memory, 1, 0, sum_op, form};
            const Blocks blocks{memory.in.data(), is_wrong ? size.other : 1, &int_type};
            g.call(coll::alltoall, coll::ialltoall, blocks, g.blocks(memory.out));
          });
        if (c.name != "allgather") continue;
        outcome(size.members, c, ErrorClass::truncate, [&](auto&, auto& comm, auto& memory, bool) {
          const Given g{comm, memory, 1, 0, sum_op, form};
          const coll::Part part{memory.in.data(), size.other, &int_type};
          g.call(coll::allgather, coll::iallgather, part, g.blocks(memory.out));
        });
        outcome(size.members, c, ErrorClass::truncate, [&](auto&, auto& comm, auto& memory, bool is_wrong) {
          const Given g{comm, memory, 1, 0, sum_op, form};
          const coll::Part part{memory.in.data(), is_wrong ? size.other : 1, &int_type};
          g.call(coll::allgather, coll::iallgather, part, g.blocks(memory.out));
        });
      }
}

TEST_CASE("as many bytes of operands of another type, which are copied for some and not for others")
{
  const Op& op = predefined(OpKind::maxloc);
  const Collective& allreduce =
      *std::ranges::find(collectives, std::string("allreduce"), [](const Collective& c) { return c.name; });
  for (const Form form : test::all_forms)
    outcome(17, allreduce, ErrorClass::truncate, [&](auto&, auto& comm, auto& memory, bool is_wrong) {
      const Given g{comm, memory, 1, 0, op, form};
      g.call(coll::allreduce, coll::iallreduce, memory.in.data(), memory.out.data(),
             Count{is_wrong ? 64 : 48}, predefined(is_wrong ? Basic::short_int : Basic::two_int), op);
    });
}

TEST_CASE("who is in another collective is the one that all others name")
{
  constexpr int n = 40;
  memmodel::Counter<> named;
  std::vector<Memory> memories(n);
  test::run(n, [&](Rank&, Communicator& world) {
    Memory& memory = memories[static_cast<std::size_t>(world.rank())];
    const bool is_wrong = world.rank() == n - 1;
    try {
      if (is_wrong)
        coll::bcast(world, {memory.in.data(), 1, &int_type}, n - 1);
      else
        coll::alltoall(world, {memory.in.data(), 1, &int_type}, {memory.out.data(), 1, &int_type});
    } catch (const Error& error) {
      if (error.message().find("member 39 calls MPI_Bcast") != std::string::npos) named.add(1);
    }
  });
  CHECK(named.value() == n - 1);
}

TEST_CASE("another collective")
{
  for (const int members : {2, 9})
    for (const Form form : test::all_forms)
      for (std::size_t i = 0; i < std::size(collectives); ++i) {
        const Collective& wrong = collectives[(i + 1) % std::size(collectives)];
        CAPTURE(collectives[i].name);
        CAPTURE(members);
        CAPTURE(static_cast<int>(form));
        outcome(members, collectives[i], ErrorClass::other,
                [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
                  (is_wrong ? wrong : c).run({comm, memory, 1, 0, sum_op, form});
                });
      }
}

TEST_CASE("another call than a small allreduce among many, whose last member reduces for all")
{
  constexpr int n = 24;
  struct Mistake {
    const char* what;
    ErrorClass expected;
    void (*make)(Communicator& world, int* values);
  };
  const Mistake mistakes[] = {
      {"another amount", ErrorClass::truncate,
       [](Communicator& world, int* values) {
         coll::allreduce(world, coll::in_place, values, 3, int_type, sum_op);
       }},
      {"another operator", ErrorClass::op,
       [](Communicator& world, int* values) {
         coll::allreduce(world, coll::in_place, values, 2, int_type, maximum);
       }},
      {"a barrier", ErrorClass::other, [](Communicator& world, int*) { coll::barrier(world); }},
      {"a broadcast", ErrorClass::other,
       [](Communicator& world, int* values) {
         coll::bcast(world, {values, 2, &int_type}, 0);
       }},
  };
  for (const Mistake& mistake : mistakes)
    for (const int wrong : {0, 11, n - 1}) {
      CAPTURE(mistake.what);
      CAPTURE(wrong);
      memmodel::Counter<> told;
      test::run(n, [&](Rank&, Communicator& world) {
        int values[3] = {1, 2, 3};
        for (int round = 1; round <= 3; ++round) {
          int sum = world.rank();
          coll::allreduce(world, coll::in_place, &sum, 1, int_type, sum_op);
          CHECK(sum == n * (n - 1) / 2);
        }
        try {
          if (world.rank() == wrong)
            mistake.make(world, values);
          else
            coll::allreduce(world, coll::in_place, values, 2, int_type, sum_op);
        } catch (const Error& error) {
          if (error.error_class() == mistake.expected) told.add(1);
        }
      });
      CHECK(told.value() > 0);
    }
}

TEST_CASE("another nonblocking one among many that meet: nobody hangs, and the next one is right")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  using Made = Request& (*)(Communicator & world, int* in, int* out, Life life);
  constexpr Count many = 3000;
  // Those before the last two meet.
  const Made calls[] = {
      [](Communicator& world, int*, int*, Life life) -> Request& { return coll::ibarrier(world, life); },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::iallreduce(world, in, out, 1, int_type, sum_op, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::iallreduce(world, in, out, many, int_type, sum_op, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::ireduce_scatter_block(world, in, out, 3, int_type, sum_op, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::iallgather(world, {in, 1, &int_type}, {out, 1, &int_type}, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::iallgather(world, {in, 30, &int_type}, {out, 30, &int_type}, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::ialltoall(world, {in, 2, &int_type}, {out, 2, &int_type}, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::ialltoall(world, {in, 90, &int_type}, {out, 90, &int_type}, life);
      },
      [](Communicator& world, int* in, int* out, Life life) -> Request& {
        return coll::iallreduce(world, in, out, 1, int_type, maximum, life);
      },
      [](Communicator& world, int* in, int*, Life life) -> Request& {
        return coll::ibcast(world, {in, 1, &int_type}, 0, life);
      },
  };
  constexpr std::size_t meeting = std::size(calls) - 2;
  std::mt19937 draw(seed);
  for (int example = 0; example < 50; ++example) {
    const int n = 17 + static_cast<int>(draw() % 24);
    const std::size_t right = draw() % meeting;
    const std::size_t wrong = (right + 1 + draw() % (std::size(calls) - 1)) % std::size(calls);
    const Life life = draw() % 3 == 0 ? Life::persistent : Life::once;
    // One, or about half of them.
    const int first = static_cast<int>(draw() % static_cast<unsigned>(n));
    const int step = draw() % 2 == 0 ? n : 2;
    CAPTURE(example);
    CAPTURE(n);
    CAPTURE(right);
    CAPTURE(wrong);
    CAPTURE(static_cast<int>(life));
    memmodel::Counter<> told;
    std::vector<Memory> memories(static_cast<std::size_t>(n));
    test::run(n, [&](Rank&, Communicator& world) {
      const int me = world.rank();
      Memory& memory = memories[static_cast<std::size_t>(me)];
      const bool errs = me >= first && (me - first) % step == 0;
      Request& made = calls[errs ? wrong : right](world, memory.in.data(), memory.out.data(), life);
      if (life == Life::persistent) made.start();
      try {
        test::complete(world.self(), made);
      } catch (const Error&) {
        told.add(1);
      }
      made.release();
      for (int again = 1; again <= 3; ++again) {
        int sum = me * again;
        Request& next = coll::iallreduce(world, coll::in_place, &sum, 1, int_type, sum_op, Life::once);
        test::complete(world.self(), next);
        next.release();
        CHECK(sum == again * n * (n - 1) / 2);
      }
    });
    CHECK(told.value() > 0);
  }
}

TEST_CASE("who waits in another call for members that meet is told, though they do not enter MPI")
{
  constexpr int n = 20;
  for (const bool broadcasts : {true, false}) {
    memmodel::Flag<> is_told;
    memmodel::Counter<> told;
    std::vector<Memory> memories(n);
    test::run(n, [&](Rank&, Communicator& world) {
      Memory& memory = memories[static_cast<std::size_t>(world.rank())];
      constexpr Count large = 2000;  // is read where it is
      const coll::Part part{memory.in.data(), large, &int_type};
      Request* made = nullptr;
      if (world.rank() != 0)
        made = &coll::ibarrier(world, Life::once);
      else if (broadcasts)
        made = &coll::ibcast(world, part, 0, Life::once);
      else
        made = &coll::iallgather(world, part, {memory.out.data(), large, &int_type}, Life::once);
      // The others compute, until it knows.
      if (world.rank() == 0)
        while (!made->advance()) std::this_thread::yield();
      else
        while (!is_told.is_set()) std::this_thread::yield();
      try {
        test::complete(world.self(), *made);
      } catch (const Error&) {
        told.add(1);
      }
      is_told.set();
      made->release();
    });
    CHECK(told.value() > 0);
  }
}

TEST_CASE("who has failed does not wait for a member that does not come, which finds nothing when it does")
{
  // Nobody helps with those of a user.
  const Ref<Op> own = Op::create(
      [](void*, const void* in, void* inout, Count n, const Datatype&) {
        for (Count i = 0; i < n; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
      },
      nullptr, true);
  for (const int members : {2, 9})
    for (const Form form : test::all_forms)
      for (const Op* op : {&sum_op, static_cast<const Op*>(own.get())})
        for (const bool soon : {false, true})
          for (const Collective& collective : collectives) {
            if (op != &sum_op && !collective.reduces) continue;
            CAPTURE(collective.name);
            CAPTURE(members);
            CAPTURE(static_cast<int>(form));
            CAPTURE(soon);
            memmodel::Counter<> back;
            outcome(
                members, collective, ErrorClass::other,
                [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
                  const Form other = form == Form::blocking ? Form::nonblocking : Form::blocking;
                  // Both, also behind an error.
                  coll::Round::await_each(2, [&](int step) {
                    if (step == (is_wrong ? 1 : 0)) {
                      while (is_wrong && !soon && back.value() != members - 1) std::this_thread::yield();
                      c.run({comm, memory, 3000, 0, *op, form});
                    } else if (is_wrong) {
                      collectives[0].run({comm, memory, 1, 0, sum_op, other});
                    } else {
                      // Nobody reads them any more.
                      std::fill_n(memory.in.data(), 3000 * members, -1);
                      back.add(1);
                    }
                  });
                },
                false);
          }
}

TEST_CASE("a new communicator in place of a collective")
{
  for (const int members : {2, 9})
    for (const Form form : test::all_forms)
      for (const Collective& collective : collectives) {
        CAPTURE(collective.name);
        CAPTURE(members);
        CAPTURE(static_cast<int>(form));
        const std::string text = outcome(
            members, collective, ErrorClass::other, [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
              is_wrong ? coll::note_new_communicator(comm) : c.run({comm, memory, 1, 0, sum_op, form});
            });
        // Else the member that makes the communicator may be told first, in its next call.
        if (form == Form::blocking) CHECK(text.find("makes a communicator") != text.npos);
      }
}

TEST_CASE("another form")
{
  for (const int members : {2, 9})
    for (const Form form : test::all_forms)
      for (const Form other : test::all_forms)
        for (const Collective& collective : collectives) {
          if (form == other) continue;
          CAPTURE(collective.name);
          CAPTURE(members);
          CAPTURE(static_cast<int>(form));
          CAPTURE(static_cast<int>(other));
          outcome(members, collective, ErrorClass::other,
                  [&](auto& c, auto& comm, auto& memory, bool is_wrong) {
                    c.run({comm, memory, 3000, 0, sum_op, is_wrong ? other : form});
                  });
        }
}

TEST_CASE("blocking and nonblocking ones in another order")
{
  // Which of the two sees it first decides how far each gets.
  std::string text = outcome(
      2, collectives[0], ErrorClass::other,
      [](auto& c, auto& comm, auto& memory, bool is_wrong) {
        const Form first = is_wrong ? Form::blocking : Form::nonblocking;
        const Form second = is_wrong ? Form::nonblocking : Form::blocking;
        c.run({comm, memory, 1, 0, sum_op, first});
        c.run({comm, memory, 1, 0, sum_op, second});
      },
      false);
  CHECK(text.find("nonblocking") != text.npos);
}

TEST_CASE("another persistent one, seen when later ones have been made")
{
  for (const int members : {2, 9}) {
    CAPTURE(members);
    const std::string text = outcome(
        members, collectives[0], ErrorClass::other,
        [](auto&, auto& comm, auto& memory, bool is_wrong) {
          using Holder = std::unique_ptr<Request, test::Release>;
          const Holder one(is_wrong
                               ? &coll::ibcast(comm, {memory.in.data(), 1, &int_type}, 1, Life::persistent)
                               : &coll::ibarrier(comm, Life::persistent));
          const Holder two(&coll::ibarrier(comm, Life::persistent));
          const Holder three(&coll::iallreduce(comm, memory.in.data(), memory.out.data(), 1, int_type, sum_op,
                                               Life::persistent));
          // All have made them, and the wrong one's last note is of a call that is right.
          for (const Holder* request : {&two, &three}) {
            (*request)->start();
            test::complete(comm.self(), **request);
          }
          one->start();
          test::complete(comm.self(), *one);
        },
        false);
    CHECK(text.find("MPI_Barrier in its persistent form") != text.npos);
    CHECK(text.find("MPI_Bcast in its persistent form") != text.npos);
  }
}

TEST_CASE(
    "two members give each other other amounts than they expect, each in its own way: who sees it is told")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  memmodel::Counter<> told;
  test::run(2, [&](Rank&, Communicator& world) {
    const int me = world.rank(), other = 1 - me;
    std::mt19937 draw(seed);
    const Datatype& byte = predefined(Basic::byte);
    std::vector<unsigned char> in(20000), out(20000);
    for (int call = 0; call < 3000; ++call) {
      // In cells, in blocks that are swapped, copied, and where they are.
      const auto amount = [&] { return static_cast<Count>(draw() % (draw() % 2 == 0 ? 120 : 9000)); };
      const Count given[2] = {amount(), amount()}, own[2] = {amount(), amount()};
      Count expected[2] = {given[1], given[0]};
      const unsigned which = static_cast<unsigned>(draw() % 8);
      const Count instead = amount();
      if (which < 2) expected[which] = instead;
      const bool to_all = draw() % 2 == 0;
      const Count kept = to_all ? given[me] : own[me];
      Count gives[2], takes[2];
      gives[me] = takes[me] = kept;
      gives[other] = given[me];
      takes[other] = expected[me];
      const Count gives_at[2] = {0, gives[0]}, takes_at[2] = {0, takes[0]};
      const auto value = [&](int member) { return static_cast<unsigned char>(2 * call + member); };
      std::fill(in.begin(), in.end(), value(me));
      const Blocks taken(out.data(), static_cast<const Count*>(takes), takes_at, &byte);
      const Blocks all_given(in.data(), static_cast<const Count*>(gives), gives_at, &byte);
      bool is_told = false;
      try {
        if (to_all)
          coll::allgather(world, {in.data(), given[me], &byte}, taken);
        else
          coll::alltoall(world, all_given, taken);
      } catch (const Error&) {
        is_told = true;
      }
      if (is_told) told.add(1);
      if (expected[me] != given[other] && !is_told) CHECK(is_told);
      if (which >= 2 && is_told) CHECK_FALSE(is_told);
      for (int member = 0; !is_told && member < 2; ++member) {
        const auto block = out.begin() + takes_at[member];
        const bool is_right =
            std::all_of(block, block + takes[member], [&](unsigned char is) { return is == value(member); });
        if (!is_right) CHECK(is_right);
      }
    }
  });
  CHECK(told.value() > 0);
}
