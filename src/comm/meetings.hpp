// Where two ranks meet, each with something for the other: the leaders of the two groups that become an
// intercommunicator.
//
// Thread safety: any thread of any rank, at once.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "comm/communicator.hpp"

namespace ranklet::comm {

class Meetings {
 public:
  // The one of `self` and `other` who comes first waits; the second one makes the result from both groups
  // with make(first_group, second_group). Both get it. The n-th meeting of two ranks with a tag is the same
  // for both.
  template <class Make>
  std::shared_ptr<CommShared> meet(Rank& self, Rank& other, const std::string& tag, const GroupPtr& group,
                                   Make&& make)
  {
    std::shared_ptr<Meeting> meeting;
    {
      const std::lock_guard guard(lock_);
      for (auto open = open_.begin(); open != open_.end(); ++open) {
        if ((*open)->waiting != &other || (*open)->wanted != &self || (*open)->tag != tag) continue;
        meeting = *open;
        open_.erase(open);
        break;
      }
      if (!meeting) {
        meeting = std::make_shared<Meeting>(self, other, tag, group);
        open_.push_back(meeting);
      }
    }
    if (meeting->waiting == &self) {
      wait_until(self, self.parking, [&] { return meeting->done.is_set(); });
    } else {
      meeting->result = make(meeting->group, group);
      meeting->done.set();
      meeting->waiting->parking.notify();
    }
    return meeting->result;
  }

 private:
  struct Meeting {
    Meeting(Rank& in_waiting, Rank& in_wanted, std::string in_tag, GroupPtr in_group)
        : waiting(&in_waiting), wanted(&in_wanted), tag(std::move(in_tag)), group(std::move(in_group))
    {
    }
    Rank* const waiting;
    Rank* const wanted;
    const std::string tag;
    const GroupPtr group;                // of the one who waits
    std::shared_ptr<CommShared> result;  // published by done
    memmodel::Flag<> done;
  };

  memmodel::SpinLock<> lock_;
  std::list<std::shared_ptr<Meeting>> open_;
};

}  // namespace ranklet::comm
