// Ranks with one communicator over all of them, and a directory for their files.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/sanitized.hpp"
#include "coll/coll.hpp"
#include "io/io.hpp"
#include "support/members.hpp"

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

// Stores that have failed.
inline std::atomic<int> stores_recovered = 0;

// What the host's handler does.
inline void take_bus_errors()
{
  struct sigaction action {};
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    if (io::recover_store(context))
      ++stores_recovered;
    else
      ::signal(SIGBUS, SIG_DFL);
  };
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

// For tests of what becomes of calls: no file is mapped.
inline io::SystemCalls unmapped_calls()
{
  io::SystemCalls calls = io::native_calls;
  calls.fstatfs = [](int, struct statfs*) {
    errno = ENOSYS;
    return -1;
  };
  return calls;
}

inline void on_ranks(int n, const std::function<void(Communicator&)>& body,
                     const io::SystemCalls* calls = &io::native_calls)
{
  JobOptions options;
  options.wait = WaitPolicy::automatic(n, 2);
  options.extensions = {io::extension()};
  Job job(n, options);
  job.files->calls = calls;
  job.files->recovers_stores = true;
  take_bus_errors();
  run_members(job, ThreadLevel::multiple, Initialized::yes, body);
}

}  // namespace ranklet::test
