// Collectives that combine data.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>

#include "coll/random_case.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::Draw;
using test::int_type;
using test::sum_op;
using test::value;

namespace {

// An operator on elements of a type, with what the sequential reference needs.
struct Algebra {
  const char* what;
  const Datatype* type;
  Op* op;
  std::size_t bytes;                               // of an element in memory
  void (*fill)(void* element, int x);              // from a random number
  void (*combine)(const void* left, void* right);  // right = left op right
  bool (*equal)(const void* a, const void* b);
};

template <class T>
bool same(const void* a, const void* b)
{
  return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}

struct Located {
  double value;
  int index;
  bool operator==(const Located&) const = default;
};

// x -> a x + b modulo 2^64: composition is associative and not commutative.
struct Affine {
  std::uint64_t a, b;
  bool operator==(const Affine&) const = default;
};
Affine after(const Affine& left, const Affine& right)
{
  return {left.a * right.a, left.a * right.b + left.b};
}
void compose(void*, const void* in, void* inout, Count n, const Datatype&)
{
  for (Count i = 0; i < n; ++i) {
    Affine& right = static_cast<Affine*>(inout)[i];
    right = after(static_cast<const Affine*>(in)[i], right);
  }
}

// The same with a gap between the two words, to see that gaps and extents are respected.
struct Gapped {
  std::uint64_t a, gap, b;
};
void compose_gapped(void*, const void* in, void* inout, Count n, const Datatype&)
{
  for (Count i = 0; i < n; ++i) {
    const Gapped& left = static_cast<const Gapped*>(in)[i];
    Gapped& right = static_cast<Gapped*>(inout)[i];
    const Affine made = after({left.a, left.b}, {right.a, right.b});
    right.a = made.a;
    right.b = made.b;
  }
}

const std::vector<Algebra>& algebras()
{
  static const Ref<Op> composition = Op::create(compose, nullptr, false);
  static const Ref<Op> gapped_composition = Op::create(compose_gapped, nullptr, false);
  static const Ref<Datatype> affine = create_contiguous(2, predefined(Basic::uint64));
  static const Ref<Datatype> gapped = create_vector(2, 1, 2, predefined(Basic::uint64));
  static const std::vector<Algebra> all = {
      {"sum of int", &predefined(Basic::int_), &predefined(OpKind::sum), 4,
       [](void* e, int x) { *static_cast<int*>(e) = x / 64; },
       [](const void* l, void* r) { *static_cast<int*>(r) += *static_cast<const int*>(l); }, same<int>},
      {"product of unsigned", &predefined(Basic::unsigned_), &predefined(OpKind::prod), 4,
       [](void* e, int x) { *static_cast<unsigned*>(e) = static_cast<unsigned>(x) | 1; },
       [](const void* l, void* r) { *static_cast<unsigned*>(r) *= *static_cast<const unsigned*>(l); },
       same<unsigned>},
      {"maximum of double", &predefined(Basic::double_), &predefined(OpKind::max), 8,
       [](void* e, int x) { *static_cast<double*>(e) = x / 3.0; },
       [](const void* l, void* r) {
         *static_cast<double*>(r) = std::max(*static_cast<double*>(r), *static_cast<const double*>(l));
       },
       same<double>},
      {"least double with its index", &predefined(Basic::double_int), &predefined(OpKind::minloc), 16,
       [](void* e, int x) {
         std::memset(e, 0, sizeof(Located));
         *static_cast<Located*>(e) = {static_cast<double>(x % 5), x % 1000};
       },
       [](const void* l, void* r) {
         const Located& left = *static_cast<const Located*>(l);
         Located& right = *static_cast<Located*>(r);
         if (left.value < right.value || (left.value == right.value && left.index < right.index))
           right = left;
       },
       same<Located>},
      {"exclusive or of bytes", &predefined(Basic::byte), &predefined(OpKind::bxor), 1,
       [](void* e, int x) { *static_cast<unsigned char*>(e) = static_cast<unsigned char>(x); },
       [](const void* l, void* r) {
         *static_cast<unsigned char*>(r) ^= *static_cast<const unsigned char*>(l);
       },
       same<unsigned char>},
      {"composition", affine.get(), composition.get(), sizeof(Affine),
       [](void* e, int x) {
         *static_cast<Affine*>(e) = {static_cast<unsigned>(x) | 1u, static_cast<unsigned>(x) / 7u};
       },
       [](const void* l, void* r) { compose(nullptr, l, r, 1, predefined(Basic::byte)); }, same<Affine>},
      {"composition with a gap", gapped.get(), gapped_composition.get(), sizeof(Gapped),
       [](void* e, int x) {
         *static_cast<Gapped*>(e) = {static_cast<unsigned>(x) | 1u, 7, static_cast<unsigned>(x) / 7u};
       },
       [](const void* l, void* r) { compose_gapped(nullptr, l, r, 1, predefined(Basic::byte)); },
       [](const void* a, const void* b) {
         const Gapped &x = *static_cast<const Gapped*>(a), &y = *static_cast<const Gapped*>(b);
         return x.a == y.a && x.b == y.b;
       }},
  };
  return all;
}

// A vector of elements of an algebra.
class Vector {
 public:
  Vector(const Algebra& algebra, Count count)
      : algebra_(algebra), count_(count), memory_((static_cast<std::size_t>(count) * algebra.bytes + 15) / 16)
  {
  }
  void* data() { return memory_.data(); }
  void* at(Count i)
  {
    return reinterpret_cast<char*>(memory_.data()) + static_cast<std::size_t>(i) * algebra_.bytes;
  }
  void fill(unsigned round, int member)
  {
    for (Count i = 0; i < count_; ++i) algebra_.fill(at(i), value(round, member, i));
  }
  // this = left op this
  void combine(Vector& left)
  {
    for (Count i = 0; i < count_; ++i) algebra_.combine(left.at(i), at(i));
  }
  // The number of the first `n` elements that differ from those of `other` from `begin` on.
  Count differences(Vector& other, Count begin, Count n)
  {
    Count wrong = 0;
    for (Count i = 0; i < n; ++i) wrong += !algebra_.equal(at(i), other.at(begin + i));
    return wrong;
  }

 private:
  struct alignas(16) Unit {
    unsigned char bytes[16] = {};
  };
  const Algebra& algebra_;
  const Count count_;
  std::vector<Unit> memory_;
};

// The reference: members 0 .. last combined in order, one after the other.
Vector reference(const Algebra& algebra, Count count, unsigned round, int last)
{
  Vector sum(algebra, count);
  sum.fill(round, last);
  for (int member = last - 1; member >= 0; --member) {
    Vector left(algebra, count);
    left.fill(round, member);
    sum.combine(left);
  }
  return sum;
}

const Algebra& pick(Draw& draw)
{
  return algebras()[draw.same() % algebras().size()];
}

}  // namespace

TEST_CASE("reduce")
{
  test::random_rounds(60, [](Draw& draw) {
    const Algebra& algebra = pick(draw);
    const Count count = draw.ints() / 2;
    const int root = draw.root(), me = draw.me();
    const bool in_place = draw.coin() && me == root;
    Vector send(algebra, count), recv(algebra, count);
    (in_place ? recv : send).fill(draw.round, me);
    draw.call(coll::reduce, coll::ireduce, in_place ? coll::in_place : send.data(),
              me == root ? recv.data() : nullptr, count, *algebra.type, *algebra.op, root);
    send.fill(0, 0);  // ours again
    if (me != root) return;
    Vector wanted = reference(algebra, count, draw.round, draw.size() - 1);
    CAPTURE(algebra.what);
    CHECK(recv.differences(wanted, 0, count) == 0);
  });
}

TEST_CASE("allreduce")
{
  test::random_rounds(60, [](Draw& draw) {
    const Algebra& algebra = pick(draw);
    const Count count = draw.ints() / 2;
    // §6.9.6 wants it of all or of none; no member relies on what the others do.
    const bool some = draw.coin(), all = draw.coin();
    const bool in_place = some ? draw.me() % 2 == 0 : all;
    Vector send(algebra, count), recv(algebra, count);
    (in_place ? recv : send).fill(draw.round, draw.me());
    draw.call(coll::allreduce, coll::iallreduce, in_place ? coll::in_place : send.data(), recv.data(), count,
              *algebra.type, *algebra.op);
    send.fill(0, 0);
    Vector wanted = reference(algebra, count, draw.round, draw.size() - 1);
    CAPTURE(algebra.what);
    CHECK(recv.differences(wanted, 0, count) == 0);
    recv.fill(0, 0);
  });
}

TEST_CASE("reduce_scatter and reduce_scatter_block")
{
  test::random_rounds(60, [](Draw& draw) {
    const Algebra& algebra = pick(draw);
    const int n = draw.size(), me = draw.me();
    const bool in_place = draw.coin(), equal = draw.coin();
    const Count common = draw.ints() / 4;
    std::vector<int> counts(n);
    Count total = 0, begin = 0;
    for (int i = 0; i < n; ++i) {
      counts[i] = static_cast<int>(equal ? common : draw.ints() / 4);
      if (i == me) begin = total;
      total += counts[i];
    }
    Vector send(algebra, total), recv(algebra, in_place ? total : counts[me]);
    (in_place ? recv : send).fill(draw.round, me);
    const void* from = in_place ? coll::in_place : send.data();
    if (equal)
      draw.call(coll::reduce_scatter_block, coll::ireduce_scatter_block, from, recv.data(), common,
                *algebra.type, *algebra.op);
    else
      draw.call(coll::reduce_scatter, coll::ireduce_scatter, from, recv.data(), coll::Array(counts.data()),
                *algebra.type, *algebra.op);
    send.fill(0, 0);
    Vector wanted = reference(algebra, total, draw.round, n - 1);
    CAPTURE(algebra.what);
    CHECK(recv.differences(wanted, begin, counts[me]) == 0);
  });
}

TEST_CASE("scan and exscan")
{
  test::random_rounds(60, [](Draw& draw) {
    const Algebra& algebra = pick(draw);
    const Count count = draw.ints() / 2;
    const int me = draw.me();
    const bool in_place = draw.coin(), inclusive = draw.coin();
    Vector send(algebra, count), recv(algebra, count);
    (in_place ? recv : send).fill(draw.round, me);
    const void* from = in_place ? coll::in_place : send.data();
    if (inclusive)
      draw.call(coll::scan, coll::iscan, from, recv.data(), count, *algebra.type, *algebra.op);
    else
      draw.call(coll::exscan, coll::iexscan, from, recv.data(), count, *algebra.type, *algebra.op);
    send.fill(0, 0);
    CAPTURE(algebra.what);
    if (inclusive || me > 0) {
      Vector wanted = reference(algebra, count, draw.round, inclusive ? me : me - 1);
      CHECK(recv.differences(wanted, 0, count) == 0);
    } else {
      // Member 0's buffer is not touched by exscan.
      Vector wanted(algebra, count);
      if (in_place) wanted.fill(draw.round, 0);
      CHECK(recv.differences(wanted, 0, count) == 0);
    }
    recv.fill(0, 0);
  });
}

TEST_CASE("floating-point sums are the same on all members and in every run")
{
  std::vector<double> first;
  for (int run = 0; run < 5; ++run) {
    std::vector<double> sums;
    test::run(8, [&](Rank&, Communicator& world) {
      const Datatype& type = predefined(Basic::double_);
      std::vector<double> mine(1000), sum(1000);
      for (int i = 0; i < 1000; ++i) mine[i] = 1.0 / (value(1, world.rank(), i) | 1);
      coll::allreduce(world, mine.data(), sum.data(), 1000, type, predefined(OpKind::sum));
      std::vector<double> root = sum;
      coll::bcast(world, {root.data(), 1000, &type}, 0);
      CHECK(std::memcmp(root.data(), sum.data(), 1000 * sizeof(double)) == 0);
      if (world.rank() == 0) sums = sum;
    });
    if (run == 0) first = sums;
    CHECK(std::memcmp(first.data(), sums.data(), 1000 * sizeof(double)) == 0);
  }
}

TEST_CASE("the sequential order does not depend on the form, the algorithm or the call")
{
  const Datatype& type = predefined(Basic::double_);
  const Ref<Op> own = Op::create(
      [](void*, const void* in, void* inout, Count n, const Datatype&) {
        for (Count i = 0; i < n; ++i)
          static_cast<double*>(inout)[i] = static_cast<const double*>(in)[i] + static_cast<double*>(inout)[i];
      },
      nullptr, false);
  // Sums that differ in their last bits when the brackets do.
  const auto number = [](int member, Count i) { return 1.0 / (value(3, member, i) | 1); };
  for (const int n : {3, 5, 17}) {
    for (const Count count : {Count{2}, Count{1700}}) {
      memmodel::Counter<> others;  // results that another order gives
      test::run(n, [&](Rank&, Communicator& world) {
        world.hints.sequential_reduction = true;
        const int me = world.rank();
        const auto size = static_cast<std::size_t>(count * n);
        std::vector<double> mine(size), all(size), upto(size), got(size);
        for (Count i = 0; i < count * n; ++i) {
          mine[i] = number(me, i);
          double right = number(n - 1, i);
          for (int member = n - 2; member >= 0; --member) right = number(member, i) + right;
          for (int member = 0; member < n; ++member) {
            all[i] = member == 0 ? number(0, i) : all[i] + number(member, i);
            if (member == me) upto[i] = all[i];
          }
          others.add(right != all[i]);
        }
        const auto same = [&](const std::vector<double>& wanted, Count begin, Count length) {
          return std::memcmp(got.data(), wanted.data() + begin,
                             static_cast<std::size_t>(length) * sizeof(double)) == 0;
        };
        for (const Op* op :
             {static_cast<const Op*>(&predefined(OpKind::sum)), static_cast<const Op*>(own.get())})
          for (const test::Form form : test::all_forms) {
            const void* const from = mine.data();
            void* const to = got.data();
            test::call(form, coll::allreduce, coll::iallreduce, world, from, to, count, type, *op);
            CHECK(same(all, 0, count));
            test::call(form, coll::reduce, coll::ireduce, world, from, to, count, type, *op, n - 1);
            if (me == n - 1) CHECK(same(all, 0, count));
            test::call(form, coll::scan, coll::iscan, world, from, to, count, type, *op);
            CHECK(same(upto, 0, count));
            test::call(form, coll::reduce_scatter_block, coll::ireduce_scatter_block, world, from, to, count,
                       type, *op);
            CHECK(same(all, count * me, count));
          }
      });
      CHECK(others.value() > 0);
    }
  }
}

TEST_CASE(
    "predefined operators combine in pairs of neighbours, in scans from the left, whatever the algorithm")
{
  const Datatype& type = predefined(Basic::double_);
  const Ref<Op> own = Op::create(
      [](void*, const void* in, void* inout, Count n, const Datatype&) {
        for (Count i = 0; i < n; ++i)
          static_cast<double*>(inout)[i] = static_cast<const double*>(in)[i] + static_cast<double*>(inout)[i];
      },
      nullptr, false);
  const auto same = [](const double* a, const double* b, Count length) {
    return std::memcmp(a, b, static_cast<std::size_t>(length) * sizeof(double)) == 0;
  };
  for (const int n : {2, 3, 4, 5, 7, 8, 17}) {
    // In cells and lines, in copies, in slices.
    for (const Count count : {Count{2}, Count{20}, Count{1700}}) {
      CAPTURE(n);
      CAPTURE(count);
      const auto size = static_cast<std::size_t>(count * n);
      // By operator; of the results of scans, those of each member one after the other.
      const OpKind kinds[] = {OpKind::sum, OpKind::max, OpKind::min};
      std::vector<double> all_of[std::size(kinds)], upto_of[std::size(kinds)];
      int others = 0;  // results that the order of a loop gives
      for (std::size_t k = 0; k < std::size(kinds); ++k) {
        all_of[k].resize(size);
        upto_of[k].resize(size);
        std::vector<double> operands(static_cast<std::size_t>(n));
        for (Count i = 0; i < count * n; ++i) {
          double sum = test::operand(5, 0, i);
          for (int member = 0; member < n; ++member) {
            const double next = operands[static_cast<std::size_t>(member)] = test::operand(5, member, i);
            if (member > 0) apply(predefined(kinds[k]), &next, &sum, 1, type);
            if (i < count) upto_of[k][static_cast<std::size_t>(count * member + i)] = sum;
          }
          all_of[k][static_cast<std::size_t>(i)] = test::in_pairs(predefined(kinds[k]), operands);
          others += !same(&sum, &all_of[k][static_cast<std::size_t>(i)], 1);
        }
      }
      test::run(n, [&](Rank&, Communicator& world) {
        const int me = world.rank();
        std::vector<double> mine(size), got(size);
        for (Count i = 0; i < count * n; ++i) mine[i] = test::operand(5, me, i);
        const void* const from = mine.data();
        void* const to = got.data();
        for (std::size_t k = 0; k < std::size(kinds); ++k) {
          const Op& op = predefined(kinds[k]);
          const std::vector<double>& all = all_of[k];
          const double* const upto = upto_of[k].data() + count * me;
          for (const test::Form form : test::all_forms)
            for (const bool in_place : {false, true}) {
              const void* const given = in_place ? coll::in_place : from;
              got = mine;
              test::call(form, coll::allreduce, coll::iallreduce, world, given, to, count, type, op);
              CHECK(same(got.data(), all.data(), count));
              got = mine;
              test::call(form, coll::reduce, coll::ireduce, world, me == n - 1 ? given : from, to, count,
                         type, op, n - 1);
              if (me == n - 1) CHECK(same(got.data(), all.data(), count));
              got = mine;
              test::call(form, coll::reduce_scatter_block, coll::ireduce_scatter_block, world, given, to,
                         count, type, op);
              CHECK(same(got.data(), all.data() + count * me, count));
              got = mine;
              test::call(form, coll::scan, coll::iscan, world, given, to, count, type, op);
              CHECK(same(got.data(), upto, count));
            }
        }
        std::vector<double> upto(static_cast<std::size_t>(count));
        for (Count i = 0; i < count; ++i) {
          upto[i] = test::operand(5, 0, i);
          for (int member = 1; member <= me; ++member) upto[i] = upto[i] + test::operand(5, member, i);
        }
        for (const test::Form form : test::all_forms) {
          test::call(form, coll::scan, coll::iscan, world, from, to, count, type, *own);
          CHECK(same(got.data(), upto.data(), count));
        }
      });
      CHECK((n < 4 || others > 0));
    }
  }
}

TEST_CASE("user functions run on the threads of the ranks that call, and only there")
{
  // The context holds the job; a thread that is bound to no rank of it must never come here.
  static memmodel::Counter<> wrong, calls;
  const Ref<Op> op = Op::create(
      [](void*, const void* in, void* inout, Count n, const Datatype&) {
        calls.add(1);
        if (current_rank() == nullptr) wrong.add(1);
        for (Count i = 0; i < n; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
      },
      nullptr, true);
  test::run(5, [&](Rank&, Communicator& world) {
    std::vector<int> data(5000, 1);
    coll::allreduce(world, coll::in_place, data.data(), 5000, predefined(Basic::int_), *op);
    CHECK(std::count(data.begin(), data.end(), 5) == 5000);
  });
  CHECK(calls.value() > 0);
  CHECK(wrong.value() == 0);
}

TEST_CASE("errors of reductions reach everybody who sees them, and the communicator still works")
{
  test::run(4, [](Rank&, Communicator& world) {
    const Datatype& type = predefined(Basic::int_);
    std::vector<int> data(4000, 1), sum(4000);
    const auto outcome = [](auto action) {
      try {
        action();
      } catch (const Error& error) {
        return error.error_class();
      }
      return ErrorClass::success;
    };
    CHECK(outcome([&] {
            coll::allreduce(world, data.data(), sum.data(), 1, predefined(Basic::double_),
                            predefined(OpKind::band));
          }) == ErrorClass::op);
    for (Count count : {Count{4}, Count{3000}}) {
      const Count mine = world.rank() == 1 ? count + 1 : count;
      CHECK(outcome([&] {
              coll::allreduce(world, data.data(), sum.data(), mine, type, predefined(OpKind::sum));
            }) == ErrorClass::truncate);
      coll::allreduce(world, data.data(), sum.data(), count, type, predefined(OpKind::sum));
      CHECK(sum[0] == 4);
    }
  });
}

TEST_CASE(
    "what a user's function throws reaches the caller on its rank, an error the others that need its result")
{
  const Ref<Op> op =
      Op::create([](void*, const void*, void*, Count, const Datatype&) { throw 42; }, nullptr, true);
  for (Count count : {Count{1}, Count{5000}}) {
    memmodel::Counter<> thrown, errors;
    test::run(4, [&](Rank&, Communicator& world) {
      std::vector<int> data(5000, 1);
      try {
        coll::allreduce(world, coll::in_place, data.data(), count, predefined(Basic::int_), *op);
      } catch (int) {
        thrown.add(1);
      } catch (const Error& error) {
        CHECK(error.error_class() == ErrorClass::other);
        errors.add(1);
      }
      coll::barrier(world);
    });
    // Small vectors are reduced by everybody, large ones by one member.
    CHECK(thrown.value() == (count == 1 ? 4 : 1));
    CHECK(errors.value() == 4 - thrown.value());
  }
}

TEST_CASE(
    "two members swap the blocks that they give each other, also after calls that one or both find wrong")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  enum class Wrong { nothing, amount, thrown };
  static thread_local bool throws;
  const Ref<Op> add = Op::create(
      [](void*, const void* in, void* inout, Count n, const Datatype&) {
        for (Count i = 0; i < n; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
        if (throws) throw 42;
      },
      nullptr, true);
  std::atomic<int> seen[3] = {};
  test::run(2, [&](Rank&, Communicator& world) {
    const int me = world.rank();
    std::mt19937 draw(seed);
    std::vector<int> data(16100), sum(16100);
    for (int call = 0; call < 2000; ++call) {
      const Count count = 13 + static_cast<Count>(draw() % (draw() % 4 == 0 ? 16000 : 1000));
      const unsigned what = static_cast<unsigned>(draw() % 16);
      const Wrong wrong = what == 0 ? Wrong::amount : what == 1 ? Wrong::thrown : Wrong::nothing;
      const int who = static_cast<int>(draw() % 2);
      const bool is_user = wrong == Wrong::thrown || draw() % 4 == 0;
      const bool in_place[2] = {draw() % 2 == 0, draw() % 2 == 0};
      const Count mine = count + (wrong == Wrong::amount && who == me ? 1 : 0);
      throws = wrong == Wrong::thrown && who == me;
      for (Count i = 0; i < mine; ++i)
        data[static_cast<std::size_t>(i)] = call * (me + 1) + static_cast<int>(i);
      std::vector<int>& result = in_place[me] ? data : sum;
      Wrong found = Wrong::nothing;
      try {
        coll::allreduce(world, in_place[me] ? coll::in_place : data.data(), result.data(), mine, int_type,
                        is_user ? *add : sum_op);
      } catch (int) {
        found = Wrong::thrown;
      } catch (const Error&) {
        found = Wrong::amount;
      }
      throws = false;
      const bool is_mine = wrong == Wrong::amount || who == me;
      if (found != (is_mine ? wrong : Wrong::nothing)) CHECK(found == (is_mine ? wrong : Wrong::nothing));
      seen[static_cast<int>(found)].fetch_add(1, std::memory_order_relaxed);
      for (Count i = 0; found == Wrong::nothing && i < count; ++i)
        if (const int is = result[static_cast<std::size_t>(i)]; is != call * 3 + 2 * static_cast<int>(i)) {
          CHECK(is == call * 3 + 2 * static_cast<int>(i));
          break;
        }
    }
  });
  for (const auto& times : seen) CHECK(times.load(std::memory_order_relaxed) > 0);
}
