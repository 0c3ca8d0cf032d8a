// Where members of a communicator make a new one together without waiting for each other: the first who
// comes makes it, the others take it. That is enough whenever each member knows the new group by itself (dup,
// create, create_group): the new context is unique in the job, so the first member may use the communicator
// before the last one has come.
//
// Thread safety: any thread of any member, at once. Cost: a lock and a look into a map of those creations
// that somebody has begun and not all have joined.
#pragma once

#include <compare>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memmodel/memmodel.hpp"

namespace ranklet {

struct CommShared;
class Group;
class Rank;

class Nursery {
 public:
  // Creations with equal keys are the same one, or follow each other: a member's n-th call with a key joins
  // the n-th creation with it.
  struct Key {
    enum class Kind { numbered, tagged, from_group, from_groups };
    Kind kind;
    std::int64_t number;  // which creation on the communicator, or the user's tag
    std::vector<Rank*> members;
    std::string name{};  // the user's tag where it is a string

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  // Member `me` of `participants` joins; make() gives a new std::shared_ptr<CommShared>.
  template <class Make>
  std::shared_ptr<CommShared> join(const Key& key, int participants, int me, Make&& make)
  {
    const std::lock_guard guard(lock_);
    std::list<Birth>& births = births_[key];
    auto birth = births.begin();
    while (birth != births.end() && birth->joined[static_cast<std::size_t>(me)]) ++birth;
    if (birth == births.end())
      birth = births.insert(births.end(), Birth{make(), std::vector<bool>(participants), participants});
    birth->joined[static_cast<std::size_t>(me)] = true;
    const std::shared_ptr<CommShared> child = birth->child;
    if (--birth->missing == 0) births.erase(birth);
    if (births.empty()) births_.erase(key);
    return child;
  }

 private:
  struct Birth {
    std::shared_ptr<CommShared> child;
    std::vector<bool> joined;
    int missing;
  };

  memmodel::SpinLock<> lock_;
  std::map<Key, std::list<Birth>> births_;
};

}  // namespace ranklet
