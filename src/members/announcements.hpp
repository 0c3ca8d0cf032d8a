// Epochs that pairs of members open to each other by a store: post and start, complete and wait (MPI 5.0
// §12.5.2). Each member counts, for every other one, what it has announced to it and what it awaits from it;
// the n-th start matches the n-th post.
//
// Thread safety: a member's counts are used by one of its threads at a time. Invariants:
//  1. Row i belongs to member i, who alone reads it; element j is written by member j only, and grows.
//  2. A thread that sees a member's n-th announcement sees all that the member did before it.
#pragma once

#include <memory>
#include <vector>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// What others have announced to one member. The row is made when it is first needed.
template <class Sys = memmodel::Native>
class Announcements {
 public:
  memmodel::Sequence<Sys>& from(int member, int members)
  {
    using Row = memmodel::Sequence<Sys>[];
    memmodel::Sequence<Sys>* const row =
        &row_.get([&] { return std::make_unique<Row>(static_cast<std::size_t>(members)); });
    return row[member];
  }

 private:
  memmodel::Lazy<memmodel::Sequence<Sys>[], Sys> row_;
};

// What a member is told of others' epochs; part of what the members share.
template <class Sys = memmodel::Native>
struct Epochs {
  Announcements<Sys> posts;        // of exposures that include it
  Announcements<Sys> completions;  // of accesses to it
};

// A member's own counts.
template <class Sys = memmodel::Native>
class EpochCounts {
 public:
  // Allocates; before the others are called.
  void prepare(int members)
  {
    if (!posts_sent_.empty()) return;
    for (auto* counts : {&posts_sent_, &posts_awaited_, &completions_sent_})
      counts->resize(static_cast<std::size_t>(members));
  }

  // Member me lets `origin` in. Release: all that me has done comes before what the origin does after its
  // start.
  void post(Epochs<Sys>& origins, int me, int origin)
  {
    announce(origins.posts.from(me, members()), ++at(posts_sent_, origin));
  }
  // Me's next epoch at `target`: what its post is to reach before has_posted().
  std::uint64_t start(int target) { return ++at(posts_awaited_, target); }
  // Acquire: pairs with the release in post().
  bool has_posted(Epochs<Sys>& mine, int target, std::uint64_t awaited)
  {
    return mine.posts.from(target, members()).value() >= awaited;
  }
  // The same of the last start().
  bool has_posted_for_start(Epochs<Sys>& mine, int target)
  {
    return has_posted(mine, target, at(posts_awaited_, target));
  }
  // Release: the operations of this epoch, and all before, come before what the target does after its wait.
  void complete(Epochs<Sys>& targets, int me, int target)
  {
    announce(targets.completions.from(me, members()), ++at(completions_sent_, target));
  }
  // Whether the origin has completed as many epochs as it was let in for: each of its completions answers a
  // post. Acquire: pairs with the release in complete().
  bool has_completed(Epochs<Sys>& mine, int origin)
  {
    return mine.completions.from(origin, members()).value() >= at(posts_sent_, origin);
  }

 private:
  int members() const noexcept { return static_cast<int>(posts_sent_.size()); }
  static void announce(memmodel::Sequence<Sys>& word, std::uint64_t number)
  {
    memmodel::invariant_on<Sys>([&] { return word.value() + 1 == number; },
                                "the n-th announcement follows the one before (1)");
    word.publish(number);
  }
  static std::uint64_t& at(std::vector<std::uint64_t>& counts, int member)
  {
    return counts[static_cast<std::size_t>(member)];
  }

  std::vector<std::uint64_t> posts_sent_, posts_awaited_, completions_sent_;  // by member
};

}  // namespace ranklet::members
