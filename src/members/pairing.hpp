// Where two parties meet, each with something for the other: the one who comes first waits, the second one
// makes the result of both.
//
// Thread safety: any thread of any party, at once. Invariants:
//  1. The n-th meeting of two parties with a tag is the same for both.
//  2. The result is written once, by the second one, before `done`; a thread that sees `done` sees
//     the result.
//  3. The first one is woken: done is followed by a notification where it sleeps.
#pragma once

#include <list>
#include <memory>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

template <class Party, class Tag, class Offer, class Result, class Sys = memmodel::Native>
class Pairing {
 public:
  // make(first's offer, second's offer) gives the result; await(done) sleeps until done(); wake(party) wakes
  // who does that for it.
  template <class Make, class Await, class Wake>
  Result meet(Party self, Party other, const Tag& tag, const Offer& offer, Make&& make, Await&& await,
              Wake&& wake)
  {
    std::shared_ptr<Pair> pair;
    {
      const Holder guard(lock_);
      for (auto open = open_.begin(); open != open_.end(); ++open) {
        if ((*open)->waiting != other || (*open)->wanted != self || (*open)->tag != tag) continue;
        pair = *open;
        open_.erase(open);
        break;
      }
      if (!pair) {
        pair = std::make_shared<Pair>(self, other, tag, offer);
        open_.push_back(pair);
      }
    }
    if (pair->waiting == self) {
      await([&] { return pair->done.is_set(); });
    } else {
      memmodel::invariant_on<Sys>([&] { return !pair->done.is_set(); },
                                  "the result of a pair is made once (2)");
      pair->result = make(pair->offer, offer);
      pair->done.set();
      wake(pair->waiting);
    }
    return pair->result;
  }

 private:
  // Two that meet, made by the one who comes first.
  struct Pair {
    Pair(Party in_waiting, Party in_wanted, const Tag& in_tag, const Offer& in_offer)
        : waiting(in_waiting), wanted(in_wanted), tag(in_tag), offer(in_offer)
    {
    }
    const Party waiting;
    const Party wanted;
    const Tag tag;
    const Offer offer;  // of the one who waits
    Result result{};    // published by done
    memmodel::Flag<Sys> done;
  };

  memmodel::SpinLock<Sys> lock_;
  std::list<std::shared_ptr<Pair>> open_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::members
