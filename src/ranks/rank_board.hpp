// The board of members that are ranks: where communicator creation meets (members/board.hpp has the rules).
#pragma once

#include "members/board.hpp"
#include "ranks/wait.hpp"

namespace ranklet {

class Board : public members::Board<const void*> {
  using Base = members::Board<const void*>;

 public:
  using Base::Base;

  // What member peer posted in member me's current round; waits for it.
  const void* item(Rank& self, int me, int peer) { return Base::item(me, peer, Waiting{self}); }

  // What member peer posts in the round after member me's current one, in which me has posted nothing yet.
  const void* next_item(Rank& self, int me, int peer) { return Base::next_item(me, peer, Waiting{self}); }

  // Waits until every member has closed member me's current round.
  void await_closed(Rank& self, int me) { Base::await_closed(me, Waiting{self}); }

 private:
  struct Waiting {
    Rank& self;
    template <class Done>
    void operator()(memmodel::Parking<>& parking, Done&& done) const
    {
      wait_until(self, parking, done);
    }
  };
};

}  // namespace ranklet
