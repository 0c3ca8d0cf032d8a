// Calls in which one member of a communicator does the work for all, with somebody outside.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/confer.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

// Collective over `local`: what all members get is the communicator whose shared part leader() gives the
// leading member, or its Error. `who` names that member's part, for the error if members differ about it.
template <class Leader>
CommRef follow(Communicator& local, int leading_member, const char* who, Leader&& leader)
{
  using SharedPtr = std::shared_ptr<CommShared>;
  struct Contribution {
    int leader = 0;
    SharedPtr shared;
    std::optional<Error> error;
  };
  Contribution mine{leading_member, {}, {}};
  if (local.rank() == leading_member) {
    try {
      mine.shared = leader();
    } catch (const Error& error) {
      mine.error = error;
    }
  }
  const SharedPtr shared = confer<SharedPtr>(local, mine, [&](std::span<const Contribution* const> all) {
    for (const Contribution* one : all)
      if (one->leader != all[0]->leader)
        fail(ErrorClass::arg, "the members of the local group name different %ss: %d and %d", who,
             all[0]->leader, one->leader);
    const Contribution& leading = *all[static_cast<std::size_t>(leading_member)];
    if (leading.error) throw Error(*leading.error);
    return std::vector<SharedPtr>(all.size(), leading.shared);
  });
  return CommRef::adopt(new Communicator(local.self(), shared));
}

}  // namespace ranklet::comm
