// Ranks on threads of a test.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ranks/ranks.hpp"

namespace ranklet::test {

// Runs body(rank) on one new thread per rank and waits for all. When a body throws, the others are cancelled
// and the first exception that is not a JobCancelled is thrown here.
inline void run_ranks(Job& job, const std::function<void(Rank&)>& body)
{
  std::mutex first_lock;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int i = 0; i < job.size(); ++i) {
    threads.emplace_back([&, &self = job.rank(i)] {
      bind_current_rank(&self);
      job.enter(self);
      try {
        body(self);
      } catch (const JobCancelled&) {
        // Another rank's failure, which is kept, or cancel() from outside.
      } catch (...) {
        {
          const std::lock_guard guard(first_lock);
          if (!first) first = std::current_exception();
        }
        job.cancel();
      }
      Job::leave_mpi();
      bind_current_rank(nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace ranklet::test
