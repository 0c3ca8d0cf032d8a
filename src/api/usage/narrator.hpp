// Tells a detector what the rank's calls of MPI do (detector.hpp): what they order, and if it watches the
// program, but not this library, what they access. So accesses conflict for it exactly when MPI's
// synchronisation leaves them unordered, whatever happened first:
//
// - A one-sided operation, and one that is completed by a request, happens in a fiber of its own: it begins
//   after the call, and nothing is after it but what completes it, at the origin or at the target. (Where
//   accesses are not told, check/accesses.hpp knows what is complete.)
// - Accumulates are atomic accesses. Buffers of blocking calls are accessed by the calling thread.
// - Between ranks there are the orders of docs/memory-model.md and no others. Calls that are not
//   understood, such as those on files and ports, are ordered in time, so that nothing is reported wrongly.
//
// In a call the thread is unseen: neither our locks nor what a callback of the program does is told.
//
// Thread safety: any thread of the rank.
#pragma once

#include <pthread.h>

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/usage/access_notes.hpp"
#include "api/usage/buffer_uses.hpp"
#include "api/usage/call_story.hpp"
#include "api/usage/detector.hpp"

namespace ranklet::api {

class Narrator final : public CallObserver {
 public:
  Narrator(RankState& state, std::unique_ptr<Detector> detector);
  ~Narrator();
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void enter(const Call& call, bool needs_mpi) noexcept override;
  void leave(const Call& call, bool success) noexcept override;
  void program_ended(int /*exit_code*/) noexcept override { thread_ends(); }
  // The calling thread is about to end, maybe in calls.
  void thread_ends() noexcept;

  // CheckHooks of jobs that are not checked.
  static const CheckHooks hooks;
  // What CheckHooks tell, inside a call.
  Ref<const RecordedCall> record_of_send(const Request& send) const;
  void sending(const RecordedCall& sent) const;
  void received(const RecordedCall& sent);

  // Whether a finding was of a buffer that this call, or one like it, uses.
  bool has_reported(const RecordedCall& call) const;

  // From the detector's hook, on a thread of the rank: it is kept until the next call of MPI. False: it
  // concerns no access of MPI.
  bool race_found(const races::Race& race) noexcept;

 private:
  struct OperationFiber {
    races::Fiber handle = nullptr;
    check::Token begun;
    int uses = 0;  // operations under way that it tells of
  };
  // How a member takes part in a collective.
  struct CollectivePart {
    std::shared_ptr<check::CollectiveRound> round;  // null: the members' calls do not go together
    Flow flow = Flow::all;
    int me = 0;
    int root = 0;
    std::vector<int> sources;
  };
  // What a request stands for.
  struct Operation {
    check::Token done;
    std::vector<OperationFiber*> fibers;
    CallRecordRef call;
    const void* site = nullptr;
    std::vector<check::BufferUse> uses;                  // of a persistent one
    std::vector<std::unique_ptr<check::Token>> arrived;  // by partition of a receive
    bool persistent = false;
    bool sends_parts = false;
    bool unknown = false;  // what it orders
    bool is_generalized = false;
    const check::Token* awaited = nullptr;   // of another rank: its completion comes after that
    std::optional<CollectivePart> prepared;  // of a persistent collective
    std::uint64_t starts = 0;
    std::optional<CollectivePart> part;
  };
  using OperationPtr = std::shared_ptr<Operation>;
  struct Given {
    const MPI_Request* place;  // null: the handle was passed by its value
    Request* request;
    OperationPtr operation;  // null: not known
    bool active;
  };
  // A call that a thread is in.
  struct Open {
    const Call* call = nullptr;
    pthread_t thread{};
    CallRecordRef record;  // of a call that moves data or makes a request
    std::vector<check::BufferUse> uses;
    std::vector<Given> requests;
    OperationPtr operation;  // one-sided, that the call gives a request for
    std::optional<CollectivePart> part;
    Count received = 0;  // bytes
  };
  // Operations of this rank at a target that are not known to be complete there.
  struct Path {
    std::set<OperationFiber*> fibers;
  };
  using Paths = std::map<std::pair<const rma::WindowShared*, int>, Path>;

  void tell_from(const check::Token& token) const { detector_->order_from(token); }
  void tell_to(const check::Token& token) const { detector_->order_to(token); }

  // narrator.cpp
  void count_untold(const Call& call) const;
  void give_up_collectives(const Call& call) const;
  void call_starts(const Call& call, Open& open) RANKLET_REQUIRES(lock_);
  void call_ends(const Call& call, Open& open) RANKLET_REQUIRES(lock_);
  void call_failed(const Call& call, const Open& open) RANKLET_REQUIRES(lock_);
  const Rank* peer_of(const Call& call, const char* parameter) const;
  const check::Token* receives_of_peer(const Call& call) const;
  const check::Token* sends_of_peer(const Call& call) const;
  void probed(const Call& call) const;
  // narrator_accesses.cpp
  void accesses_start(const Call& call, const CallPlan& plan, const CallStory& told, Open& open)
      RANKLET_REQUIRES(lock_);
  void accesses_end(const Call& call, const CallStory& told, Open& open) RANKLET_REQUIRES(lock_);
  void operation_starts(const Call& call, const Window& window, Open& open);
  void announce_accumulate(const Call& call, const Window& window, const CallRecordRef& record);
  void tell_operation(const Call& call, Window& window, Open& open) RANKLET_REQUIRES(lock_);
  OperationFiber& take_fiber() RANKLET_REQUIRES(lock_);
  void give_back(OperationFiber& fiber) RANKLET_REQUIRES(lock_);
  // The first `bytes` bytes of it; -1: all.
  static void tell_use(const check::BufferUse& use, Count bytes, bool written, races::Label label);
  races::Label label_of(const void* site, const CallRecordRef& record, bool written, AccessNote::Use kind)
      RANKLET_REQUIRES(lock_);
  // narrator_requests.cpp
  void requests_given(const Call& call, const CallPlan& plan, Open& open) RANKLET_REQUIRES(lock_);
  void request_made(const Call& call, const CallPlan& plan, Open& open) RANKLET_REQUIRES(lock_);
  void operation_starts(Operation& operation);
  void operation_started(Operation& operation) RANKLET_REQUIRES(lock_);
  void use_buffers(Operation& operation, const std::vector<check::BufferUse>& uses) RANKLET_REQUIRES(lock_);
  void requests_ended(const Open& open) RANKLET_REQUIRES(lock_);
  void requests_freed(const Open& open) RANKLET_REQUIRES(lock_);
  void end(Operation& operation) RANKLET_REQUIRES(lock_);
  void forget(const Given& given) RANKLET_REQUIRES(lock_);
  void partitions_ready(const Open& open) RANKLET_REQUIRES(lock_);
  void partition_arrived(const Open& open);
  // narrator_collectives.cpp
  static void join(const Call& call, Communicator& comm, std::optional<CollectivePart>& part);
  void begin_part(const CollectivePart& part) const;
  void end_part(const CollectivePart& part) const;
  // narrator_windows.cpp
  void window_call_starts(const Call& call, Window& window, Open& open) RANKLET_REQUIRES(lock_);
  void window_call_ended(const Call& call, Window& window, Open& open) RANKLET_REQUIRES(lock_);
  void complete_at_target(Window& window, int target) RANKLET_REQUIRES(lock_);
  void complete_at_origin(Window& window, int target) RANKLET_REQUIRES(lock_);
  void complete_all(Window& window) RANKLET_REQUIRES(lock_);
  void forget(Paths::iterator path) RANKLET_REQUIRES(lock_);
  // f(target) for those with operations that are not known to be complete.
  template <class F>
  void for_each_path(const Window& window, F&& f) RANKLET_REQUIRES(lock_);
  void take_lock(Window& window, int target, bool exclusive) const;
  // race_findings.cpp
  void report_races() RANKLET_REQUIRES(lock_);
  void report(const races::Race& race) RANKLET_REQUIRES(lock_);

  RankState& state_;
  const std::unique_ptr<Detector> detector_;
  const std::size_t most_fibers_;
  check::Token sent_;    // by all sends of the rank so far
  check::Token posted_;  // receives
  check::Token ended_;   // generalized requests that the program has completed
  mutable Mutex lock_;
  std::vector<Open> open_ RANKLET_GUARDED_BY(lock_);
  AccessNotes notes_ RANKLET_GUARDED_BY(lock_);
  std::vector<std::unique_ptr<OperationFiber>> fibers_ RANKLET_GUARDED_BY(lock_);
  std::deque<OperationFiber*> free_fibers_ RANKLET_GUARDED_BY(lock_);
  std::size_t next_shared_fiber_ RANKLET_GUARDED_BY(lock_) = 0;
  std::unordered_map<const Request*, OperationPtr> operations_ RANKLET_GUARDED_BY(lock_);
  // Places of calls whose buffers were found in use too early.
  std::set<std::string> reported_ RANKLET_GUARDED_BY(lock_);
  Paths paths_ RANKLET_GUARDED_BY(lock_);  // by window and target

  static constexpr std::size_t most_races = 32;  // that wait to be reported
  memmodel::SpinLock<> races_lock_;              // held for a copy: the detector may be in its hook
  std::size_t races_kept_ RANKLET_GUARDED_BY(races_lock_) = 0;
  std::array<races::Race, most_races> races_ RANKLET_GUARDED_BY(races_lock_);
};

}  // namespace ranklet::api
