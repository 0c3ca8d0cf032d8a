// Calls in which one member of a communicator does the work for all, with somebody outside.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comm/confer.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

// Collective over `local`: what leader() gives the leading member all members get, or its Error. `who` names
// that member's part, for the error if members differ about it.
template <class Result, class Leader>
Result follow_result(Communicator& local, int leading_member, const char* who, Leader&& leader)
{
  struct Contribution {
    int leader = 0;
    Result result{};
    std::optional<Error> error;
  };
  Contribution mine{leading_member, {}, {}};
  if (local.rank() == leading_member) {
    try {
      mine.result = leader();
    } catch (const Error& error) {
      mine.error = error;
    }
  }
  return confer<Result>(local, mine, [&](std::span<const Contribution* const> all) {
    for (const Contribution* one : all)
      if (one->leader != all[0]->leader)
        fail(ErrorClass::arg, "the members of the local group name different %ss: %d and %d", who,
             all[0]->leader, one->leader);
    const Contribution& leading = *all[static_cast<std::size_t>(leading_member)];
    if (leading.error) throw Error(*leading.error);
    return std::vector<Result>(all.size(), leading.result);
  });
}

// The same for a communicator, of which leader() gives the shared part.
template <class Leader>
CommRef follow(Communicator& local, int leading_member, const char* who, Leader&& leader)
{
  const auto shared =
      follow_result<std::shared_ptr<CommShared>>(local, leading_member, who, std::forward<Leader>(leader));
  return CommRef::adopt(new Communicator(local.self(), shared));
}

}  // namespace ranklet::comm
