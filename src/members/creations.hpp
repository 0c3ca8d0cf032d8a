// Where members make something together without waiting for each other: the first who comes makes it, the
// others take it.
//
// Thread safety: any thread of any member, at once. Cost: a lock and a look into a map of those creations
// that somebody has begun and not all have joined. Invariants:
//  1. A member's n-th call with a key joins the n-th creation with it, whoever comes first.
//  2. All who join a creation get the same child, and see what its maker did.
//  3. A creation is forgotten when all have joined it.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <vector>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// Child: copied to each member; a pointer that shares.
template <class Key, class Child, class Sys = memmodel::Native>
class Creations {
 public:
  // Member `me` of `participants` joins; make() gives a new child. What make() throws leaves all as it was.
  template <class Make>
  Child join(const Key& key, int participants, int me, Make&& make)
  {
    const Holder guard(lock_);
    std::list<Creation>& begun = begun_[key];
    auto creation = begun.begin();
    while (creation != begun.end() && creation->joined[static_cast<std::size_t>(me)]) ++creation;
    if (creation == begun.end())
      creation = begun.insert(begun.end(), Creation{make(), std::vector<bool>(participants), participants});
    creation->joined[static_cast<std::size_t>(me)] = true;
    memmodel::full_invariant_on<Sys>(
        [&] { return std::ranges::count(creation->joined, false) + 1 == creation->missing; },
        "so many are missing as have not joined a creation (3)");
    const Child child = creation->child;
    if (--creation->missing == 0) begun.erase(creation);
    if (begun.empty()) begun_.erase(key);
    return child;
  }

  // Creations that not all have joined, when nobody is about to.
  std::size_t size() const noexcept RANKLET_UNCHECKED { return begun_.size(); }

 private:
  struct Creation {
    Child child;
    std::vector<bool> joined;
    int missing;
  };

  memmodel::SpinLock<Sys> lock_;
  std::map<Key, std::list<Creation>> begun_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::members
