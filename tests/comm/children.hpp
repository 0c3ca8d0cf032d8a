// A job that a test's job starts, without a host: each of its ranks runs on a thread made here.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "comm/comm.hpp"
#include "comm/spawn.hpp"

namespace ranklet::test {

// For comm::spawn(): one program on `ranks` ranks, of at most so many.
inline std::vector<comm::SpawnRequest> request(int ranks, int most)
{
  comm::SpawnRequest result;
  result.program.command = "app";
  result.program.ranks = ranks;
  result.most = most;
  return {result};
}

class Children {
 public:
  // For the parents' JobOptions: starts a job of these options, body(rank) on each of its ranks. Until end().
  StartPrograms starter(JobOptions options, std::function<void(Rank&)> body)
  {
    return [this, options = std::move(options), body = std::move(body)](const JobToStart& asked) {
      JobOptions with_spawner = options;
      with_spawner.spawner = &asked.spawner;
      with_spawner.world = 2;
      job_ = std::make_unique<Job>(asked.programs[0].ranks, std::move(with_spawner));
      asked.introduce(*job_);
      for (int i = 0; i < job_->size(); ++i)
        threads_.push_back(std::async(std::launch::async, [&rank = job_->rank(i), &body] {
          bind_current_rank(&rank);
          rank.job.set_phase(rank, Phase::active);
          body(rank);
          rank.comm->parent = {};
          bind_current_rank(nullptr);
        }));
    };
  }

  Job& job() { return *job_; }

  // Waits until the ranks have returned, and ends their job. Throws what one of them has thrown.
  void end()
  {
    for (std::future<void>& thread : threads_) thread.get();
    threads_.clear();
    job_ = nullptr;
  }

 private:
  std::unique_ptr<Job> job_;
  std::vector<std::future<void>> threads_;
};

}  // namespace ranklet::test
