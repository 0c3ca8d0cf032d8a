// Ranks with one communicator over all of them, and a directory for their files.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/sanitized.hpp"
#include "coll/coll.hpp"
#include "io/io.hpp"

namespace ranklet::test {

class Directory {
 public:
  Directory()
  {
    std::string name = (std::filesystem::temp_directory_path() / "ranklet-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline void on_ranks(int n, const std::function<void(Communicator&)>& body,
                     const io::SystemCalls* calls = &io::native_calls)
{
  JobOptions options;
  options.wait = WaitPolicy::automatic(n, 2);
  options.extensions = {io::extension()};
  Job job(n, options);
  job.files->calls = calls;
  std::vector<Rank*> members;
  for (int i = 0; i < n; ++i) members.push_back(&job.rank(i));
  const auto shared = std::make_shared<CommShared>(job, std::make_shared<Group>(members));
  job.run([&](Rank& rank) {
    rank.set_thread_level(ThreadLevel::multiple);
    job.set_phase(rank, Phase::active);
    Communicator world(rank, shared);
    body(world);
    job.set_phase(rank, Phase::finalized);
  });
}

}  // namespace ranklet::test
