// A collective decision: every member says something, one looks at all and decides for each.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

// Collective over all members of `comm`, of both groups of an intercommunicator. The first member calls
// decide(span of In*, by board rank), which gives a vector with an Out per member; each gets its own. An
// Error thrown by decide is thrown at every member. Cost: the first member waits for all to come and for all
// to have heard; the others wait once.
template <class Out, class In, class Decide>
Out confer(Communicator& comm, const In& mine, Decide&& decide)
{
  struct Verdict {
    std::vector<Out> outs;
    std::optional<Error> error;
  };
  Rank& self = comm.self();
  Board& board = comm.shared().board();
  const int me = comm.board_rank();
  const auto hear = [me](const Verdict& verdict) -> Out {
    if (verdict.error) throw Error(*verdict.error);
    return verdict.outs[static_cast<std::size_t>(me)];
  };

  board.post(me, &mine);
  if (me != 0) {
    board.close(me);
    // The first one has read what we have said before it decides.
    const Verdict& verdict = *static_cast<const Verdict*>(board.next_item(self, me, 0));
    struct Heard {
      Board& board;
      int me;
      ~Heard()
      {
        board.post(me, nullptr);
        board.close(me);
      }
    } const heard{board, me};
    return hear(verdict);
  }

  Verdict verdict;
  std::vector<const In*> all(static_cast<std::size_t>(board.members()));
  for (int i = 0; i < board.members(); ++i)
    all[static_cast<std::size_t>(i)] = static_cast<const In*>(board.item(self, me, i));
  try {
    verdict.outs = decide(std::span<const In* const>(all));
  } catch (const Error& error) {
    verdict.error = error;
  }
  board.close(me);
  board.post(me, &verdict);
  board.close(me);
  board.await_closed(self, me);
  return hear(verdict);
}

}  // namespace ranklet::comm
