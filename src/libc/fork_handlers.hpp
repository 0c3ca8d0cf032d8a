// What a rank has registered with pthread_atfork: only its own forks run it.
//
// Shared libraries' handlers are libc's and run in every fork, inside of the rank's: theirs were there first.
#pragma once

#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

// Thread-safe.
class ForkHandlers {
 public:
  struct Entry {
    void (*prepare)();
    void (*parent)();
    void (*child)();
    const void* object;  // the handle of the object that registered it (__dso_handle); nullptr: the program
  };

  void add(const Entry& entry);
  // Those of an object that is being unloaded.
  template <class Condition>
  void forget(Condition is_of_object)
  {
    const Holder guard(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) { return is_of_object(entry.object); });
  }
  // In the order of their registration: in which parent's and child's run, prepare's run backwards
  // (pthread_atfork(3)).
  std::vector<Entry> all();
  // In the child of a fork: another thread may have held the lock.
  void continue_with_this_thread();

 private:
  Mutex mutex_;
  std::vector<Entry> entries_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
