// The programs of a host, each analysed once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/guarded.hpp"
#include "loader/loader.hpp"

namespace ranklet::launch {

// Thread-safe. Programs stay for good: threads of ranks may outlive their jobs.
class Programs {
 public:
  // What the file is now: one that was overwritten since is another program; so is one with other tools of
  // MPI in the LD_PRELOAD of its environment ("name=value"). Throws Error.
  loader::Program& at(const std::string& path, const std::vector<std::string>& environment);
  // Thread storage for every one so far.
  loader::StorageNeed need() const;

 private:
  struct Entry {
    std::string path;
    std::vector<std::string> tools;
    struct stat file;
    std::unique_ptr<loader::Program> program;
  };

  mutable Mutex mutex_;
  std::vector<Entry> entries_ RANKLET_GUARDED_BY(mutex_);
};

// Throws Error{no_mem} if this process has no room left for the program's thread-local variables.
void check_fits(const loader::Program& program);

}  // namespace ranklet::launch
