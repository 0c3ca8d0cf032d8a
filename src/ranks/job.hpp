// A job: a set of ranks that start together; its ranks are MPI_COMM_WORLD.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ranks/context_ids.hpp"
#include "ranks/place.hpp"
#include "ranks/rank.hpp"
#include "ranks/wait_policy.hpp"

namespace ranklet {

// How a layer above keeps state in every rank: create fills the layer's slot, destroy empties it.
struct Extension {
  void (*create)(Rank&);
  void (*destroy)(Rank&) noexcept;
};

struct JobOptions {
  std::vector<Extension> extensions;  // created in this order, destroyed in reverse
  WaitPolicy wait;
  // Messages of at most this many bytes are buffered when their receive is not posted yet.
  std::size_t eager_limit = 16384;
  // Where the ranks run, by world rank; asked for once, when somebody wants to know. Null: not known.
  std::function<std::vector<Place>()> places;
  // Ends the job: by default the ranks are cancelled (see Job::cancel). A host that owns the whole process
  // prints the reason and ends the process here. `who` may be null.
  std::function<void(Rank* who, int code, const std::string& why)> on_abort;
};

// Thrown in a rank's own waits when its job was cancelled; it is no MPI error and passes through MPI calls.
struct JobCancelled {};

class Job {
 public:
  // size >= 1 ranks, with their extensions, and no threads yet.
  Job(int size, JobOptions options);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  Rank& rank(int world_rank) noexcept { return *ranks_[static_cast<std::size_t>(world_rank)]; }
  const JobOptions& options() const noexcept { return options_; }

  // Runs body(rank) on one new thread per rank and waits for all. When a body throws, the others are
  // cancelled and the first exception that is not a JobCancelled is thrown here.
  void run(const std::function<void(Rank&)>& body);

  // MPI_Abort and fatal errors end here; it does not return: on_abort ends the process, or the job is
  // cancelled and JobCancelled thrown.
  [[noreturn]] void abort(Rank* who, int code, const std::string& why);

  // Makes all ranks that wait, now or later, throw JobCancelled. From any thread.
  void cancel() noexcept;
  bool cancelled() const noexcept { return cancelled_.is_set(); }

  // A rank's program ended. If MPI was still active there, ranks that wait for it would wait for ever: one of
  // them reports it and aborts the job.
  void leave(Rank& rank, int exit_code) noexcept;

  // Called by waiting ranks when they have waited for long: throws JobCancelled, or aborts when a rank has
  // left without MPI_Finalize.
  void look_around(Rank& self);

  // The rank's phase; set by its own threads, read by everybody.
  Phase phase(int world_rank) const noexcept;
  void set_phase(Rank& rank, Phase phase) noexcept;

  // Where the ranks run, by world rank; empty if that is not known. Thread-safe.
  const std::vector<Place>& places();

  ContextIds context_ids;

 private:
  JobOptions options_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<memmodel::Sequence<>> phases_;
  std::mutex places_lock_;
  bool places_found_ = false;
  std::vector<Place> places_;  // constant once found
  memmodel::Flag<> cancelled_;
  memmodel::Flag<> deserted_;  // a rank has left while MPI was active there
  int deserter_ = -1;          // its number and exit code: written before deserted_ is set
  int deserter_code_ = 0;
  memmodel::SpinLock<> deserter_lock_;
};

}  // namespace ranklet
