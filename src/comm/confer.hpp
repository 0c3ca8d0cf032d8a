// A collective decision: every member says something, one looks at all and decides for each.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace ranklet::comm {

// Collective over all members of `comm`, of both groups of an intercommunicator. The first member calls
// decide(span of In*, by board rank), which gives a vector with an Out per member; each gets its own. An
// Error thrown by decide is thrown at every member. Cost: two rounds at the board.
template <class Out, class In, class Decide>
Out confer(Communicator& comm, const In& mine, Decide&& decide)
{
  struct Verdict {
    std::vector<Out> outs;
    std::optional<Error> error;
  };
  Rank& self = comm.self();
  Board& board = comm.shared().board;
  const int me = comm.board_rank();
  Verdict verdict;

  board.post(me, &mine);
  if (me == 0) {
    std::vector<const In*> all(static_cast<std::size_t>(board.members()));
    for (int i = 0; i < board.members(); ++i)
      all[static_cast<std::size_t>(i)] = static_cast<const In*>(board.item(self, me, i));
    try {
      verdict.outs = decide(std::span<const In* const>(all));
    } catch (const Error& error) {
      verdict.error = error;
    }
  }
  board.close(me);
  board.await_closed(self, me);

  board.post(me, &verdict);
  const Verdict& decided = *static_cast<const Verdict*>(board.item(self, me, 0));
  const std::optional<Error> error = decided.error;
  Out out{};
  if (!error) out = decided.outs[static_cast<std::size_t>(me)];
  board.close(me);
  board.await_closed(self, me);
  if (error) throw Error(*error);
  return out;
}

}  // namespace ranklet::comm
