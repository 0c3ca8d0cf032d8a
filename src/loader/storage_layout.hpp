// Where the thread-local storage of modules lies in the reserve that the host executable keeps free.
#pragma once

#include <map>

#include "base/guarded.hpp"
#include "loader/loader.hpp"
#include "loader/module.hpp"

namespace ranklet::loader {

// Thread-safe.
class StorageLayout {
 public:
  // Of all modules so far.
  StorageNeed need() const;

  // Gives the module an offset, if it has storage. most: what there is; no_mem if it does not fit. Null: the
  // host is executed again with what is needed.
  void place(Module& module, const StorageNeed* most = nullptr);

  // Takes back what was given since that was the need.
  void go_back_to(StorageNeed need);

 private:
  mutable Mutex mutex_;
  StorageNeed need_ RANKLET_GUARDED_BY(mutex_);
  // Copies of a file for different situations have the same, as no rank has two.
  std::map<ElfFile::Identity, std::size_t> offsets_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
