// Where the leaders of the two groups that become an intercommunicator meet (members/pairing.hpp).
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "members/pairing.hpp"

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
    return pairing_.meet(
        &self, &other, tag, group, make, [&](auto&& done) { wait_until(self, self.parking, done); },
        [](Rank* waiting) { waiting->parking.notify(); });
  }

 private:
  members::Pairing<Rank*, std::string, GroupPtr, std::shared_ptr<CommShared>> pairing_;
};

}  // namespace ranklet::comm
