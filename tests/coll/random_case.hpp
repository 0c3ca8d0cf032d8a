// Random collectives for comparison with a sequential reference: every member draws the same sequence, so
// each knows what all others send.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "coll/coll.hpp"
#include "comm/harness.hpp"

namespace ranklet::test {

inline Datatype& int_type = predefined(Basic::int_);
inline const Op& sum_op = predefined(OpKind::sum);

// The int that the member sends as its i-th one in a round.
inline int value(unsigned round, int member, Count i)
{
  std::uint64_t x = round * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(member) * 0xBF58476D1CE4E5B9u +
                    static_cast<std::uint64_t>(i) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  x *= 0xD6E8FEB86659FD93u;
  return static_cast<int>(x >> 40);
}

// A number of which sums depend on the brackets, and now and then one of those that two of are not ordered.
inline double operand(unsigned round, int member, Count i)
{
  const int x = value(round, member, i);
  if (x % 11 == 0) return std::numeric_limits<double>::quiet_NaN();
  if (x % 7 == 0) return x % 2 ? 0.0 : -0.0;
  return 1.0 / (x | 1);
}

// In pairs of neighbours, then of neighbouring pairs and so on; the right one is the first argument.
inline double in_pairs(const Op& op, std::vector<double> operands)
{
  for (std::size_t step = 1; step < operands.size(); step *= 2)
    for (std::size_t left = 0; left + step < operands.size(); left += 2 * step)
      apply(op, &operands[left + step], &operands[left], 1, predefined(Basic::double_));
  return operands[0];
}

// Ways to lay out an even number of ints that all have the same signature.
struct Shape {
  const Datatype* type;
  int ints;    // in one element
  int extent;  // in ints
  int offsets[2];

  Count place(Count i) const { return i / ints * extent + offsets[i % ints]; }
};

inline const std::vector<Shape>& shapes()
{
  static const Ref<Datatype> pair = create_contiguous(2, predefined(Basic::int_));
  static const Ref<Datatype> gapped = create_vector(2, 1, 3, predefined(Basic::int_));
  static const std::vector<Shape> all = {
      {&predefined(Basic::int_), 1, 1, {0, 0}}, {pair.get(), 2, 2, {0, 1}}, {gapped.get(), 2, 4, {0, 3}}};
  return all;
}

// Memory for a number of ints in a shape, which remembers what lies between them.
class Ints {
 public:
  static constexpr int untouched = -77;

  Ints(const Shape& shape, Count ints)
      : shape_(&shape), memory_(static_cast<std::size_t>(ints / shape.ints * shape.extent), untouched)
  {
  }

  int& operator[](Count i) { return memory_[static_cast<std::size_t>(shape_->place(i))]; }
  int* data() { return memory_.data(); }
  const Shape& shape() const { return *shape_; }
  const Datatype* type() const { return shape_->type; }
  // Elements for a number of ints.
  Count elements(Count ints) const { return ints / shape_->ints; }
  // How many ints of the memory were written.
  Count touched() const
  {
    return static_cast<Count>(memory_.size()) - std::count(memory_.begin(), memory_.end(), untouched);
  }

 private:
  const Shape* shape_;
  std::vector<int> memory_;
};

// The three forms that each collective has.
enum class Form { blocking, nonblocking, persistent };
inline constexpr Form all_forms[] = {Form::blocking, Form::nonblocking, Form::persistent};

inline void complete(Rank& self, Request& request)
{
  wait(self, request);
  const ErrorClass error = request.reap(nullptr);
  if (error != ErrorClass::success) throw Error(error, request.error_message());
}

struct Release {
  void operator()(Request* request) const { request->release(); }
};

// One collective in the given form.
template <class Blocking, class Start, class... Args>
void call(Form form, Blocking blocking, Start start, Communicator& comm, const Args&... args)
{
  if (form == Form::blocking) return blocking(comm, args...);
  // Released also after an error.
  const std::unique_ptr<Request, Release> request(
      &start(comm, args..., form == Form::nonblocking ? coll::Life::once : coll::Life::persistent));
  if (form == Form::persistent) request->start();
  complete(comm.self(), *request);
}

// For call(): of equal blocks, and of others.
template <coll::Sizes sizes = coll::Sizes::equal>
Request& igather(Communicator& comm, const coll::Part& send, const coll::Blocks& recv, int root,
                 coll::Life life)
{
  return coll::igather(comm, send, recv, sizes, root, life);
}
template <coll::Sizes sizes = coll::Sizes::equal>
Request& iscatter(Communicator& comm, const coll::Blocks& send, const coll::Part& recv, int root,
                  coll::Life life)
{
  return coll::iscatter(comm, send, recv, sizes, root, life);
}

// What a round draws: `same` gives all members the same numbers, `own` each its own.
struct Draw {
  Communicator& comm;
  unsigned round;
  std::mt19937& same;
  std::mt19937& own;
  Form form;
  bool large;

  template <class Blocking, class Start, class... Args>
  void call(Blocking blocking, Start start, const Args&... args) const
  {
    test::call(form, blocking, start, comm, args...);
  }

  int me() const { return comm.rank(); }
  int size() const { return comm.size(); }
  int root() { return static_cast<int>(same() % static_cast<unsigned>(size())); }
  bool coin() { return same() % 2 == 0; }
  // An even number of ints: none, a few, too many for a cell, or for a copy; up to 1 MiB in a large round,
  // where all members together keep to about 16 MiB however many they are.
  Count ints()
  {
    if (large) {
      const int most = (size() <= 4 ? 1 << 18 : (1 << 18) / size());
      return 2 * static_cast<Count>(same() % static_cast<unsigned>(most / 2 + 1));
    }
    const unsigned limits[] = {1, 6, 40, 500, 2000};
    const std::size_t kinds = size() <= 17 ? std::size(limits) : 3;
    return 2 * static_cast<Count>(same() % limits[same() % kinds]);
  }
  const Shape& shape() { return shapes()[own() % shapes().size()]; }
};

// body(draw) `rounds` times on communicators over 1 to 17 ranks, and less often on more: the world, the world
// reversed, every second; then with much data, in each form on few ranks, so that what is done by slices and
// with the root's help is compared too.
template <class Body>
void random_rounds(unsigned rounds, Body body)
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  INFO("seed " << seed);
  for (const int n : {1, 2, 3, 4, 7, 8, 17, 70}) {
    const unsigned small_rounds = n <= 17 ? rounds : rounds / 4;
    test::run(n, [&](Rank& rank, Communicator& world) {
      const CommRef reversed = comm::split(world, 0, -world.rank());
      const CommRef halves = comm::split(world, world.rank() % 2, 0);
      std::mt19937 own(seed + 1 + static_cast<unsigned>(rank.world_rank));
      const unsigned large_rounds = n <= 4 ? unsigned{std::size(all_forms)} : n <= 17 ? 1 : 0;
      for (unsigned round = 0; round < small_rounds + large_rounds; ++round) {
        // Anew in each round: how much is drawn depends on the communicator.
        std::mt19937 same(seed + 1000 * round);
        Communicator* const choice[] = {&world, reversed.get(), halves.get()};
        Communicator& comm = *choice[same() % 3];
        const bool large = round >= small_rounds;
        const Form form = all_forms[large && n <= 4 ? round - small_rounds : same() % 3];
        Draw draw{comm, round, same, own, form, large};
        body(draw);
      }
    });
  }
}

}  // namespace ranklet::test
