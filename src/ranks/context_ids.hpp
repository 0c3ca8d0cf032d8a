// Context ids: the numbers that tell the communicators of a job apart in its messages.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "base/guarded.hpp"

namespace ranklet {

// Thread safety: any thread. Invariant: an id that was given back is not taken again before all others have
// had their turn, so that messages that nobody received on a freed communicator meet no later one.
class ContextIds {
 public:
  // Tests begin where the numbers end.
  explicit ContextIds(std::uint32_t first = 0) noexcept : next_(first) {}

  // An id that no living communicator has. Errors: other, when there is none.
  std::uint32_t take();
  void give_back(std::uint32_t id) noexcept;

 private:
  Mutex lock_;
  std::uint32_t next_ RANKLET_GUARDED_BY(lock_);
  std::unordered_set<std::uint32_t> used_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet
