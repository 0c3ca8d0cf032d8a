// A job: a set of ranks that start together; its ranks are MPI_COMM_WORLD.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/config.hpp"
#include "base/guarded.hpp"
#include "machine/place.hpp"
#include "machine/wait_policy.hpp"
#include "memmodel/presence.hpp"
#include "ranks/arbiter.hpp"
#include "ranks/findings.hpp"
#include "ranks/rank.hpp"
#include "ranks/start_programs.hpp"
#include "ranks/universe.hpp"
#include "terms/recorded_call.hpp"
#include "terms/types.hpp"

namespace ranklet {

// How a layer above keeps state in every rank: create fills the layer's slot, destroy empties it.
struct Extension {
  void (*create)(Rank&);
  void (*destroy)(Rank&) noexcept;
};

class Request;

namespace check {
class JobChecks;
}

namespace io {
class JobFiles;
}

// What the layers below tell those who follow messages, on the thread of the rank concerned.
struct CheckHooks {
  // The call that the thread is in sends a message, by the request: what the message will carry.
  Ref<const RecordedCall> (*sending)(Rank& self, const Request& send);
  // The request has received what that call has sent.
  void (*received)(Rank& self, const Request& receive, const RecordedCall& sent) noexcept;
};

struct JobOptions {
  std::vector<Extension> extensions;  // created in this order, destroyed in reverse
  WaitPolicy wait;                    // at first: Job::wait_policy() is what holds
  // Messages of at most this many bytes are buffered when their receive is not posted yet.
  std::size_t eager_limit = 16384;
  // Bytes of messages without a receive that a rank keeps, about; then what is sent to it waits.
  std::size_t unexpected_limit = std::size_t{1} << 30;
  // Where the ranks run, by world rank; asked for once, when somebody wants to know. Null: not known.
  std::function<std::vector<Place>()> places;
  // How many threads of the rank live, the main one included. Null: not known, so that a rank at
  // MPI_THREAD_MULTIPLE is never taken for one that only waits.
  std::function<int(int world_rank)> live_threads;
  // How many of them have slept for some seconds where nobody is known to wake them but a thread of the rank.
  // Called while the rank's threads in MPI sleep. Null: that is not known of any.
  std::function<int(int world_rank)> sleeping_threads;
  // For ranks that share the process with threads of which it is not known whether they are a rank's: whether
  // all threads of the process but these, by the kernel's numbers, have slept for some seconds where only
  // another thread may wake them. A rank's further threads count as asleep then. Called while these lie in
  // their waits; asked only of ranks at MPI_THREAD_MULTIPLE that have, or may have, further threads. Null:
  // that is not known.
  std::function<bool(const std::vector<pid_t>& waiting)> others_sleep;
  // Which ranks may end a wait in that call of this rank; called by the waiting thread. Null: any.
  std::function<WaitPartners(Rank& self, const CallNote& call)> partners;
  // A line for each message that has come to the rank and that no receive takes; called by any thread, which
  // is bound to the rank. Null: none are known.
  std::function<std::vector<std::string>(Rank& rank)> unmatched;
  // Of the same form: what requests a call of the rank waits for; persistent ones that nobody has started.
  std::function<std::vector<std::string>(Rank& rank, const CallNote& call)> awaited;
  std::function<std::vector<std::string>(Rank& rank)> not_started;
  // What else is to be said of calls in which ranks wait for each other: lines, or nothing. Null: nothing.
  std::function<std::string(const std::vector<std::pair<Rank*, const CallNote*>>& calls)> explain;
  // Whether ranks that can only wait for each other end the job with a report.
  bool reports_deadlocks = true;
  // They follow messages: the usage checks (--check), or what tells a detector of data races; null: none do.
  const CheckHooks* checks = nullptr;
  // Ranks see each other's variables, as in ranklet::run, and may order what they do by these.
  bool shares_variables = false;
  // Told of each of the job's findings when it is new; by any thread.
  std::function<void(const check::Finding&)> on_finding;
  // Portability modes (base/config.hpp); that of sends is in the eager limit, which is Config::no_message
  // where all standard-mode sends wait for their receive.
  CollectiveMode collectives = CollectiveMode::automatic;
  std::optional<Count> delays;
  std::string remark;                // is added to the reason when the job is aborted; empty: nothing
  std::shared_ptr<Arbiter> arbiter;  // null: what is open comes as it comes
  // Ends the job: by default the ranks are cancelled (see Job::cancel). A host that owns the whole process
  // prints the reason and ends the process here. `who` may be null. Several threads may call it at once.
  std::function<void(Rank* who, int code, const std::string& why)> on_abort;
  // Starts programs as the ranks of a new job (hosting.hpp). Null: nobody can here.
  StartPrograms start_programs;
  // The rank of another job that has started this one, or the first one of a job to which this one came;
  // null: there is no other. They then share a universe, and what the layers keep for a job.
  Rank* spawner = nullptr;
  int world = 1;  // which of the worlds of its universe the job is, for reports
  // The path of the rank that has started the job, and which of that rank's jobs it is, from 0 on; empty: no
  // rank has.
  std::vector<int> path;
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

  int size() const noexcept { return static_cast<int>(ranks_->size()); }
  Rank& rank(int world_rank) noexcept { return *(*ranks_)[static_cast<std::size_t>(world_rank)]; }
  const Rank& rank(int world_rank) const noexcept { return *(*ranks_)[static_cast<std::size_t>(world_rank)]; }
  // The ranks stay as long as somebody has this, also when their job has gone, without what the layers keep.
  std::shared_ptr<const void> ranks_alone() const noexcept { return ranks_; }
  // For reports: "3", "3 of world 2".
  std::string label_of(int world_rank) const;
  const JobOptions& options() const noexcept { return options_; }
  // How its ranks wait: as the options say, until it is told another way, once.
  const WaitPolicy& wait_policy() const noexcept
  {
    return waits_otherwise_.is_set() ? other_wait_ : options_.wait;
  }
  // From any thread.
  void wait_by(const WaitPolicy& policy) noexcept;

  // Up to this size messages take the shortest way: they are copied away and leave no trace. -1: none does,
  // as they are checked.
  Count short_way_limit() const noexcept { return short_way_limit_; }

  // Before the calling rank ends the job: where an arbiter decides, all else that can happen in the job
  // happens first. May throw JobCancelled.
  void let_others_go_first(Rank& self);

  // MPI_Abort and fatal errors end here; it does not return: on_abort ends the process, or the job is
  // cancelled and JobCancelled thrown.
  [[noreturn]] void abort(Rank* who, int code, const std::string& why);

  // Makes all ranks that wait, now or later, throw JobCancelled. From any thread.
  void cancel() noexcept;
  bool cancelled() const noexcept { return cancelled_.is_set(); }
  // In a cancelled job: throws JobCancelled when the ranks are at rest.
  [[noreturn]] void stop();

  // The stack of a cancelled rank is unwound only when no thread works in MPI any more, as it may copy from
  // and to buffers there until then. So the threads of jobs that can be cancelled are counted while they are
  // inside. The calling thread comes in from outside; false if it was inside. Look at cancelled() only after
  // that.
  bool enter(Rank& self) noexcept;
  // It goes, or will do nothing more there; nothing happens if it is not counted.
  static void leave_mpi() noexcept;
  // Goes, and waits until nobody is inside, at most so long (zero: any time); in a cancelled job.
  void await_rest(std::chrono::milliseconds longest = std::chrono::milliseconds(0)) noexcept;

  // A rank's program ended: it makes no call any more.
  void end(Rank& rank) noexcept;
  // The same. If MPI was still active there, ranks that wait for it would wait for ever: one of them reports
  // it and aborts the job.
  void leave(Rank& rank, int exit_code) noexcept;

  // Called by waiting ranks when they have waited for long: throws JobCancelled, or aborts when a rank has
  // left without MPI_Finalize.
  void look_around(Rank& self);

  // Of a job that a rank of another one has started: all its ranks have come to MPI or ended; one has ended
  // before. The spawner is woken then.
  bool is_complete() const noexcept { return complete_.is_set(); }
  bool is_incomplete_for_ever() const noexcept { return lost_.is_set(); }

  // The rank's phase; set by its own threads, read by everybody.
  Phase phase(int world_rank) const noexcept;
  void set_phase(Rank& rank, Phase phase) noexcept;

  // Where the ranks run, by world rank; empty if that is not known. Thread-safe.
  const std::vector<Place>& places();

  const std::shared_ptr<Universe> universe;
  DeadlockWatch& deadlocks = universe->deadlocks;
  // How many communicators of other jobs' ranks have ranks of this one as members. Counted for jobs that
  // another one has started: the thread that destroys the job waits until there are none.
  memmodel::Counter<> foreign_communicators;
  check::Findings findings;
  // What the usage checks keep for all ranks together; null where calls are not checked.
  std::shared_ptr<check::JobChecks> checks;
  // What the files of all ranks share: the slot of src/io; null where that layer is not part of the job.
  std::shared_ptr<io::JobFiles> files;

 private:
  JobOptions options_;
  const Count short_way_limit_;
  WaitPolicy other_wait_;  // written before waits_otherwise_ is set, by the first that sets being_told_
  memmodel::Flag<> being_told_, waits_otherwise_;
  const std::shared_ptr<std::vector<std::unique_ptr<Rank>>> ranks_ =
      std::make_shared<std::vector<std::unique_ptr<Rank>>>();
  const std::shared_ptr<const void> spawner_;  // its rank stays, to be woken
  std::vector<memmodel::Sequence<>> phases_;
  Mutex places_lock_;
  bool places_found_ RANKLET_GUARDED_BY(places_lock_) = false;
  std::vector<Place> places_ RANKLET_GUARDED_BY(places_lock_);  // constant once found
  memmodel::Flag<> cancelled_;
  bool is_at_rest() const noexcept;
  void note_start(bool ended) noexcept;
  [[noreturn]] void end_for_deserter(const Rank& self) RANKLET_UNCHECKED;  // when deserted_ is set
  memmodel::Presence<> inside_mpi_;
  memmodel::Flag<> deserted_;  // a rank has left while MPI was active there
  memmodel::SpinLock<> deserter_lock_;
  // Its number and exit code: constant when deserted_ is set.
  int deserter_ RANKLET_GUARDED_BY(deserter_lock_) = -1;
  int deserter_code_ RANKLET_GUARDED_BY(deserter_lock_) = 0;
  memmodel::Counter<> come_;  // ranks that have left Phase::before_init
  memmodel::Flag<> lost_, complete_;
};

}  // namespace ranklet
