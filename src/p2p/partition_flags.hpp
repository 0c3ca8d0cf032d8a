// The flags of a partitioned communication: which partitions of a send are ready for the receive, and which
// of the receive have arrived. A partition of the send is moved by the side that comes second to its meeting.
//
// Thread safety: ready(), move() and has_arrived() by any threads; expect() and open() by the thread that
// starts the receive, or that makes its send known to it. Invariants:
//  1. In a round each partition of the send is moved once: when it is ready and the receive has started.
//  2. left and remaining_ are set before the receive comes to the first meeting of the round, and only moves
//     change them.
//  3. The last move ends the round, after all others; before that neither side begins another.
//  4. A thread that sees that a partition of the receive has arrived sees its data; if all have, the
//     round has ended.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/zeroed.hpp"
#include "memmodel/memmodel.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

// How one side cuts its buffer.
struct Division {
  int count = 0;
  Count bytes = 0;  // of one partition

  Count all_bytes() const noexcept { return count * bytes; }
};

template <class Sys = memmodel::Native>
class PartitionFlags {
 public:
  using Arrival = typename memmodel::Meeting<Sys>::Arrival;
  // The machine of the tests makes its objects one by one.
  template <class T>
  using Array = std::conditional_t<std::is_same_v<Sys, memmodel::Native>, ZeroedArray<T>, std::vector<T>>;
  using MeetingArray = Array<memmodel::Meeting<Sys>>;
  using Left = Array<memmodel::Counter<Sys>>;

  // Made before the sides know each other.
  MeetingArray meetings;  // one per partition of the send
  Left left;              // bytes that are missing in each partition of the receive

  // The receive's part of the start of a round: expect(), and open() as soon as it has a send. move(i) is
  // called for those that were ready before.
  void expect(const Division& to) noexcept
  {
    // relaxed is enough: the meetings hand it to those who copy.
    for (memmodel::Counter<Sys>& bytes : left) bytes.restart(to.bytes);
  }
  template <class Move>
  void open(bool odd, const Division& from, Move&& move)
  {
    begin(from.count);
    for (int i = 0; i < from.count; ++i)
      if (meetings[static_cast<std::size_t>(i)].arrive(receiving, odd) == Arrival::second) move(i);
  }
  // `second`: the caller moves it.
  Arrival ready(int partition, bool odd) noexcept
  {
    return meetings[static_cast<std::size_t>(partition)].arrive(sending, odd);
  }

  // copy(at, bytes) copies that part of the data. True: it was the last partition of the round.
  template <class Copy>
  bool move(int partition, const Division& from, const Division& to, Copy&& copy)
  {
    const Count begin = partition * from.bytes;
    const Count bytes = std::min(from.bytes, to.all_bytes() - begin);
    if (bytes > 0) {
      copy(begin, bytes);
      for (Count at = begin; at < begin + bytes;) {
        const Count index = at / to.bytes;
        const Count end = std::min((index + 1) * to.bytes, begin + bytes);
        const std::int64_t missing = left[static_cast<std::size_t>(index)].add(at - end);
        memmodel::invariant_on<Sys>([&] { return missing >= 0; },
                                    "no more arrives than a partition holds (2)");
        at = end;
      }
    }
    return end_one();
  }
  // The same of a send that nobody receives.
  void begin(int partitions) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return remaining_.value() == 0; },
                                "a round begins when the one before has ended (3)");
    remaining_.restart(partitions);
  }
  bool end_one() noexcept
  {
    const std::int64_t remaining = remaining_.add(-1);
    memmodel::invariant_on<Sys>([&] { return remaining >= 0; }, "a partition is moved once in a round (1)");
    return remaining == 0;
  }

  // For a round that is_complete() says has not ended. The thread that has copied the last partition is about
  // to say so, and a program that knows that all have arrived may count on MPI_Test to tell.
  template <class IsComplete>
  bool has_arrived(int partition, const Division& from, const Division& to, IsComplete&& is_complete) const
  {
    // Empty partitions arrive when all has.
    if (to.bytes == 0 || left[static_cast<std::size_t>(partition)].value() != 0) return false;
    for (int i = 0; has_all_data(from, to) && !is_complete(); ++i) {
      if (i < 1000)
        Sys::pause();
      else
        Sys::yield();
    }
    return true;
  }

 private:
  // The sides of a meeting.
  static constexpr unsigned sending = 0;
  static constexpr unsigned receiving = 1;

  // Whether each partition of the receive has its data; then both requests are finished, or about to be.
  bool has_all_data(const Division& from, const Division& to) const noexcept
  {
    // More threads than that are not between the copy of a partition and its end in `remaining`. Of a send
    // that is too long some partitions have no data, and may not be ready yet.
    constexpr std::int64_t most_copying = 64;
    return remaining_.value() <= most_copying && from.all_bytes() == to.all_bytes() &&
           std::all_of(left.begin(), left.end(),
                       [](const memmodel::Counter<Sys>& bytes) { return bytes.value() == 0; });
  }

  alignas(64) memmodel::Counter<Sys> remaining_;  // partitions of the send that are to be moved
};

}  // namespace ranklet::p2p
