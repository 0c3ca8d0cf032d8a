// An ordered set of MPI processes (MPI 5.0 §7.2.1): immutable, shared by all who refer to it.
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"
#include "ranks/ranks.hpp"

namespace ranklet {

class Group {
 public:
  explicit Group(std::vector<Rank*> members) : members_(std::move(members)) {}

  int size() const noexcept { return static_cast<int>(members_.size()); }
  Rank& member(int rank) const noexcept { return *members_[static_cast<std::size_t>(rank)]; }
  const std::vector<Rank*>& members() const noexcept { return members_; }
  // The member's number in this group; `undefined` for a rank that is not a member.
  int rank_of(const Rank& rank) const noexcept;

 private:
  std::vector<Rank*> members_;
};

using GroupPtr = std::shared_ptr<const Group>;

}  // namespace ranklet
