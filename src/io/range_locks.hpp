// Locks on ranges of a file, for the accesses in atomic mode (MPI 5.0 §14.6.1). Of the inode, so that several
// handles of one file exclude each other.
//
// Thread safety: any thread. The holder of a lock moves data and does nothing else, so that all waits end
// without any call of another rank.
#pragma once

#include <condition_variable>
#include <list>

#include "base/guarded.hpp"
#include "terms/types.hpp"

namespace ranklet::io {

class RangeLocks {
 public:
  // Holds bytes [begin, end), shared with other readers or exclusively.
  class Hold {
   public:
    Hold(RangeLocks& locks, Count begin, Count end, bool exclusive);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    RangeLocks& locks_;
    std::list<struct Range>::iterator place_;
  };

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::list<struct Range> ranges_ RANKLET_GUARDED_BY(mutex_);  // held and awaited, in the order of arrival
};

struct Range {
  Count begin, end;
  bool exclusive;
};

}  // namespace ranklet::io
