// An ordered set of MPI processes (MPI 5.0 §7.2.1): immutable, shared by all who refer to it.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "ranks/ranks.hpp"
#include "terms/types.hpp"

namespace ranklet {

namespace p2p {
class AttachedBuffer;
}

class Group;
using GroupPtr = std::shared_ptr<const Group>;

// What the compare calls for groups and communicators answer (§7.3.1, §7.4.1).
enum class Comparison { ident, congruent, similar, unequal };

// A row of the range arguments (§7.3.2): first, first + stride, ... up to last, which need not be hit.
struct RankRange {
  int first;
  int last;
  int stride;
};

class Group {
 public:
  // The members in rank order, each at most once. Cost: their number, times its logarithm when they are not
  // consecutive ranks of the world. Their jobs live.
  explicit Group(std::vector<Rank*> members);

  int size() const noexcept { return static_cast<int>(members_.size()); }
  Rank& member(int rank) const noexcept { return *members_[static_cast<std::size_t>(rank)]; }
  const std::vector<Rank*>& members() const noexcept { return members_; }
  // The member's number in this group; `undefined` for a rank that is not a member. O(1) for consecutive
  // ranks of the world, else O(log size).
  int rank_of(const Rank& rank) const noexcept;
  bool contains(const Rank& rank) const noexcept { return rank_of(rank) != undefined; }

  // Where the session that the group is derived from has its buffer (a slot of the p2p layer); null: of none.
  const std::shared_ptr<p2p::AttachedBuffer>& session_buffer() const noexcept { return session_buffer_; }
  // The jobs among its members' that another job has started: their ranks stay as long as the group.
  struct SpawnedJob {
    Job* job;
    std::shared_ptr<const void> ranks;
  };
  const std::vector<SpawnedJob>& spawned_jobs() const noexcept { return spawned_jobs_; }

  // Members of the sources, whose jobs may have gone: those keep them, and know which they are.
  Group(std::vector<Rank*> members, std::initializer_list<const Group*> sources);

  friend GroupPtr derived_from(GroupPtr group, const std::shared_ptr<p2p::AttachedBuffer>& session_buffer);

  // The one group without members (MPI_GROUP_EMPTY).
  static const GroupPtr& empty();

 private:
  void index_members();

  std::vector<Rank*> members_;
  std::vector<int> by_address_;  // members' numbers, sorted by the member's address; empty if consecutive
  std::vector<SpawnedJob> spawned_jobs_;
  std::shared_ptr<p2p::AttachedBuffer> session_buffer_;
};

// The same members, as a group of the session with that buffer (null: of none). Cost: a copy if it is another
// one.
GroupPtr derived_from(GroupPtr group, const std::shared_ptr<p2p::AttachedBuffer>& session_buffer);

// §7.3.2. Errors: rank, for a number out of range or given twice; arg, for a stride of 0.
GroupPtr include(const Group& group, std::span<const int> ranks);
GroupPtr exclude(const Group& group, std::span<const int> ranks);
GroupPtr include(const Group& group, std::span<const RankRange> ranges);
GroupPtr exclude(const Group& group, std::span<const RankRange> ranges);

// The order is that of the first group, then that of the second.
GroupPtr unite(const Group& first, const Group& second);
GroupPtr intersect(const Group& first, const Group& second);
GroupPtr subtract(const Group& first, const Group& second);

// ident, similar or unequal.
Comparison compare(const Group& first, const Group& second);

// to_ranks[i] is the number in `to` of the one who is ranks[i] in `from`, or `undefined`; proc_null stays.
// Errors: rank.
void translate_ranks(const Group& from, std::span<const int> ranks, const Group& to, std::span<int> to_ranks);

}  // namespace ranklet
