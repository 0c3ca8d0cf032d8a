// What MPI's synchronisation orders, for those who look for accesses that nothing orders
// (api/usage/detector.hpp): tokens of the orders between members of a communicator or a window. Which call
// orders whom is the table of docs/memory-model.md (src/memmodel/rules.cpp).
//
// Thread safety: any threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/guarded.hpp"
#include "check/clocks.hpp"
#include "comm/communicator.hpp"
#include "rma/window.hpp"

namespace ranklet::check {

// One collective call of all members of a communicator.
class CollectiveRound {
 public:
  explicit CollectiveRound(int members) : tokens_(static_cast<std::size_t>(members)) {}

  int members() const noexcept { return static_cast<int>(tokens_.size()); }
  const Token* of(int member) const noexcept { return &tokens_[static_cast<std::size_t>(member)]; }
  // Of a persistent collective that all have prepared in this round: its n-th start, from 0 on.
  std::shared_ptr<CollectiveRound> start(std::uint64_t n);

 private:
  std::vector<Token> tokens_;
  Mutex lock_;
  std::map<std::uint64_t, std::pair<std::shared_ptr<CollectiveRound>, int>> starts_ RANKLET_GUARDED_BY(lock_);
};

// The collectives of one communicator. A round is kept until every member has come to it.
class CollectiveOrders {
 public:
  explicit CollectiveOrders(int members) : next_(static_cast<std::size_t>(members)) {}

  // The member's next collective; null after give_up().
  std::shared_ptr<CollectiveRound> join(int member);
  // The same, of which nobody wants to know.
  void pass(int member);
  // One has failed, so that the members' numbers may differ.
  void give_up();

 private:
  struct Kept {
    std::shared_ptr<CollectiveRound> round;
    int come = 0;
  };
  Mutex lock_;
  std::vector<std::uint64_t> next_ RANKLET_GUARDED_BY(lock_);
  std::map<std::uint64_t, Kept> rounds_ RANKLET_GUARDED_BY(lock_);
  bool given_up_ RANKLET_GUARDED_BY(lock_) = false;
};

// One window's.
class WindowOrders {
 public:
  // Between an origin and a target.
  struct Pair {
    Token done_at_origin;  // of the origin's operations: what flush_local and its like complete
    Token done_at_target;
    Token posted;  // by the target, for MPI_Win_start
    Token completed;
  };
  struct TargetTokens {
    Token exclusive;  // left by exclusive holders of its lock
    Token shared;
    Token unwaited_fence;  // called with MPI_MODE_NOPRECEDE
  };

  explicit WindowOrders(int members)
      : members_(static_cast<std::size_t>(members)), targets_(members_), rows_(members_)
  {
  }

  const Pair& pair(int origin, int target);
  const TargetTokens& target(int rank) const noexcept { return targets_[static_cast<std::size_t>(rank)]; }

 private:
  const std::size_t members_;
  std::vector<TargetTokens> targets_;
  Mutex lock_;
  std::vector<std::unique_ptr<Pair[]>> rows_ RANKLET_GUARDED_BY(lock_);  // by origin; made when first needed
};

// Two accesses to one place of a window, the first one in an epoch of that kind, and known to be complete or
// not: "… would order them".
const char* what_would_order(rma::Access epoch, bool same_origin, bool is_complete);

// Made by who asks first.
CollectiveOrders& orders_of(CommShared& comm);
WindowOrders& orders_of(rma::WindowShared& window, int members);

}  // namespace ranklet::check
