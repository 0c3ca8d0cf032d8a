// Epochs that pairs of members open to each other by a store: post and start, complete and wait (MPI 5.0
// §12.5.2). Each member counts, for every other one, what it has announced to it and what it awaits from it;
// the n-th start matches the n-th post.
//
// Where members are few, all that two of them announce to each other lies in one line: who answers writes the
// line that he has just looked at.
//
// Thread safety: Epochs by any threads; a member's counts by one of its threads at a time. Invariants:
//  1. Of a pair's words each is written by one member, and grows; the other member alone reads it.
//  2. A thread that sees a member's n-th announcement sees all that the member did before it.
#pragma once

#include <algorithm>
#include <memory>

#include "base/zeroed.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// What members have announced to each other; part of what they share. Lines are made when they are needed.
template <class Sys = memmodel::Native>
class Epochs {
 public:
  using Word = memmodel::Sequence<Sys>;
  // Up to so many members have a line for each pair.
  static constexpr int few = 16;

  explicit Epochs(int members) : members_(members), rows_(std::make_unique<Row[]>(size())) {}

  int members() const noexcept { return members_; }
  // What `from` has told `to`: of exposures that include it, and of accesses to it. Throw std::bad_alloc.
  Word& posts(int from, int to)
  {
    return members_ <= few ? pair(from, to).posts[from > to] : made(rows_[to].posts)[from];
  }
  Word& completions(int from, int to)
  {
    return members_ <= few ? pair(from, to).completions[from > to] : made(rows_[to].completions)[from];
  }

 private:
  struct alignas(64) Pair {
    Word posts[2], completions[2];  // by the one who writes: the first or the second of the two
  };
  // Of few members the pairs with those after it; of many what all have told it.
  struct Row {
    memmodel::Lazy<Pair[], Sys> pairs;
    memmodel::Lazy<Word[], Sys> posts, completions;
  };

  std::size_t size() const noexcept { return static_cast<std::size_t>(members_); }
  Pair& pair(int one, int other)
  {
    const auto [first, second] = std::minmax(one, other);
    return (&made(rows_[first].pairs, size() - static_cast<std::size_t>(first)))[second - first];
  }
  Word* made(memmodel::Lazy<Word[], Sys>& words) { return &made(words, size()); }
  template <class T>
  static T& made(memmodel::Lazy<T[], Sys>& row, std::size_t count)
  {
    return row.get([&] { return std::make_unique<T[]>(count); });
  }

  const int members_;
  const std::unique_ptr<Row[]> rows_;  // by member
};

// A member's own counts. Partners that it has not met cost no memory where there are many.
template <class Sys = memmodel::Native>
class EpochCounts {
 public:
  EpochCounts(Epochs<Sys>& all, int me) : all_(all), me_(me) {}

  // Before any other call for that partner. Throws std::bad_alloc, with nothing changed.
  void meet(int partner)
  {
    if (partners_.size() == 0) partners_ = ZeroedArray<Partner>(static_cast<std::size_t>(all_.members()));
    Partner& their = at(partner);
    if (their.completions_from) return;
    their.posts_to = &all_.posts(me_, partner);
    their.posts_from = &all_.posts(partner, me_);
    their.completions_to = &all_.completions(me_, partner);
    their.completions_from = &all_.completions(partner, me_);
  }

  // Lets `origin` in. Release: all that this member has done comes before what the origin does after its
  // start.
  void post(int origin)
  {
    Partner& their = at(origin);
    announce(*their.posts_to, ++their.posts_sent);
  }
  // The member's next epoch at `target`: what its post is to reach before has_posted().
  std::uint64_t start(int target) { return ++at(target).posts_awaited; }
  // Acquire: pairs with the release in post().
  bool has_posted(int target, std::uint64_t awaited) const
  {
    return at(target).posts_from->value() >= awaited;
  }
  // The same for the last start(), and for the next one.
  bool has_posted_for_start(int target) const { return has_posted(target, at(target).posts_awaited); }
  bool has_posted_for_next(int target) const { return has_posted(target, at(target).posts_awaited + 1); }
  // Release: the operations of this epoch, and all before, come before what the target does after its wait.
  void complete(int target)
  {
    Partner& their = at(target);
    announce(*their.completions_to, ++their.completions_sent);
  }
  // Whether the origin has completed as many epochs as it was let in for: each of its completions answers a
  // post. Acquire: pairs with the release in complete().
  bool has_completed(int origin) const
  {
    const Partner& their = at(origin);
    return their.completions_from->value() >= their.posts_sent;
  }

 private:
  using Word = memmodel::Sequence<Sys>;
  struct alignas(64) Partner {
    std::uint64_t posts_sent, posts_awaited, completions_sent;
    Word *posts_to, *posts_from, *completions_to, *completions_from;
  };

  static void announce(Word& word, std::uint64_t number)
  {
    memmodel::invariant_on<Sys>([&] { return word.value() + 1 == number; },
                                "the n-th announcement follows the one before (1)");
    word.publish(number);
  }
  Partner& at(int member) const { return partners_[static_cast<std::size_t>(member)]; }

  Epochs<Sys>& all_;
  const int me_;
  ZeroedArray<Partner> partners_;  // by member; empty before the first one
};

}  // namespace ranklet::members
