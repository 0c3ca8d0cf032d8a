// The usage checks of one rank (--check): told of the start and the end of its calls, they report what is
// wrong to the job's findings. Nothing here changes what a call does.
//
// Thread safety: any thread of the rank.
#pragma once

#include <pthread.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "api/handles/rank_state.hpp"
#include "api/usage/buffer_uses.hpp"
#include "api/usage/call_plan.hpp"
#include "api/usage/call_record.hpp"
#include "base/guarded.hpp"
#include "check/check.hpp"

namespace ranklet::api {

class RankChecks final : public CallObserver {
 public:
  explicit RankChecks(RankState& state);
  RankChecks(const RankChecks&) = delete;
  RankChecks& operator=(const RankChecks&) = delete;

  void enter(const Call& call, bool needs_mpi) noexcept override;
  void leave(const Call& call, bool success) noexcept override;

  // CheckHooks of the job.
  static const CheckHooks hooks;

  // Before the others are met, as a collective that only some have called makes that fail.
  void world_closes() override;
  // The last instance of MPI is about to close: messages that nobody has received, as far as they have come,
  // and what was not freed.
  void last_instance_closes() override;
  // The rank's program has ended with that code: what may be freed after MPI_Finalize and was not.
  void program_ended(int exit_code) noexcept override;

  // portability_checks.cpp
  // An error that belongs to no object goes to MPI_COMM_WORLD's handler.
  void error_goes_to_world(const Call& call, const Error& error) noexcept override;

  std::string told_by(const Call& call, Communicator* blamed) noexcept override;

  // The call that has made the request; null if that is not known.
  CallRecordRef made_by(const Request& request) const;
  CallRecordRef made_by(std::uintptr_t handle) const;  // of another object

  void report(check::Finding::Weight weight, std::string what, const char* rule, const RecordedCall* call,
              const RecordedCall* other = nullptr);

 private:
  // A handle that a call was given, and where it lay.
  struct Given {
    const MPI_Request* place;
    Request* request;
    bool active;
    bool point_to_point;
    CallRecordRef made;      // null: not known
    const Request* receive;  // what receives in it, or null
  };
  // A call that a thread is in.
  struct Open {
    const Call* call = nullptr;
    pthread_t thread{};
    CallRecordRef record;                // of a call that moves data or makes a request
    std::vector<check::BufferUse> uses;  // that it makes of memory
    std::vector<Given> requests;
    std::vector<std::pair<const std::uintptr_t*, std::uintptr_t>> handles;  // that it may free
    int keyval = 0;
    const rma::WindowShared* freed_window = nullptr;
    check::Moment called;  // when a call on a window began; none if the clocks do not run
    // Whose members all make it. Kept apart from a later one in its memory: this call may free it.
    std::weak_ptr<const CommShared> collective;
    std::optional<check::FileAccess> file_access;
    const File* split_ended = nullptr;  // whose split collective access the call ends
    bool tells = false;                 // a message that it has received was too long, and a finding
    bool knows_all = true;              // of the messages that it has received
    bool was_told = false;              // what it fails with is a finding
  };
  // An array of counts, displacements or types that a call was given, with what it held.
  struct GivenArray {
    const char* name;
    Word address;
    std::vector<char> held;
  };
  // A buffer in use by one-sided operations that the same completes, as far as the last of them: alike ones
  // are one.
  struct OriginUse {
    const rma::WindowShared* window;
    int target;
    rma::Access epoch;
    Count count;
    const Datatype* type;
    bool written;
    bool by_request;  // which may complete it, too
    CallRecordRef made;
    bool is_like(const OriginUse& other) const noexcept
    {
      return !by_request && !other.by_request && window == other.window && target == other.target &&
             epoch == other.epoch && count == other.count && type == other.type && written == other.written;
    }
  };
  // What a request stands for that a one-sided operation has given.
  struct OneSided {
    check::Origin origin;
    int target;
    std::vector<const void*> buffers;  // at the origin
  };
  struct KnownRequest {
    CallRecordRef made;                  // never null
    std::vector<check::BufferUse> uses;  // of a persistent one; by part, if it has parts
    std::vector<GivenArray> arrays;      // of collectives
    std::optional<OneSided> one_sided;
    bool sends_parts = false;  // each of which is under way from MPI_Pready on
    bool started = false;
    bool freed = false;  // while active
  };

  CallRecordRef record(const Call& call) const { return record_of(state_, call); }
  void check_arguments(const Call& call, const CallPlan& plan, Open& open) RANKLET_REQUIRES(lock_);
  void note_handles(const Call& call, Open& open);
  void remember_handles(const Call& call, const Open& open) RANKLET_REQUIRES(lock_);
  bool is_still_given(std::uintptr_t handle) const;

  void check_thread(const Call& call) RANKLET_REQUIRES(lock_);
  // collective_checks.cpp
  Communicator* comm_of(const Call& call) const { return api::comm_of(state_, call); }
  void check_collective(const Call& call, const CallPlan& plan);
  void check_other_threads(const Call& call, Open& open) RANKLET_REQUIRES(lock_);
  void compare(Communicator& comm, check::CollectiveCall made, const RecordedCall& own);
  void compare_last(Communicator& comm, const CallRecord& own);
  void collectives_end();
  // memory_checks.cpp
  // On the thread that enters or leaves a call.
  static void allocates_for_mpi(bool inside);
  // what: "the receive buffer".
  void check_room(const std::string& what, check::Range range, const char* rule, const RecordedCall& call);
  void check_room_of_buffers(const std::vector<check::BufferUse>& uses, const RecordedCall& call);
  void check_room_of_arrays(const Call& call, const CallPlan& plan, Open& open);
  // Of a window that is about to be freed, made of the program's memory.
  void check_memory_of(const Call& call, const Window& window);
  // array_checks.cpp
  std::vector<GivenArray> arrays_of(const Call& call, const CallPlan& plan) const;
  void check_arrays(const KnownRequest& known, const Call& completion);
  // window_checks.cpp
  void window_call_starts(const Call& call, Open& open) RANKLET_REQUIRES(lock_);
  void window_call_ended(const Call& call, Open& open) RANKLET_REQUIRES(lock_);
  void check_access(const Call& call, const Window& window, const CallRecordRef& own, bool by_request);
  // Of the calling rank.
  static check::Origin origin_of(const Window& window);
  check::Moment now() const;
  // What an access may let others know, or the calling rank.
  void access_starts(const Call& call, const Window& window);
  void access_ended(const Call& call, const Window& window);
  void target_changes(const Call& call, const Window& window);
  void origin_buffers_used(const Call& call, const Window& window, Open& open, bool by_request)
      RANKLET_REQUIRES(lock_);
  OneSided one_sided(const Call& call, const Window& window, const Open& open) const;
  void one_sided_ended(const KnownRequest& known) RANKLET_REQUIRES(lock_);
  template <class F>
  void origin_buffers_free(const Call& call, F&& ends) RANKLET_REQUIRES(lock_);
  // promise_checks.cpp
  void report_broken(const std::optional<check::Conflict>& conflict, const CallRecordRef& own);
  void promise_starts(const Call& call, Window& window);
  void note_part(Window& window);
  void promise_ended(const Call& call, Window& window);
  // file_checks.cpp
  File* file_of(const Call& call) const { return api::file_of(state_, call); }
  void file_call_starts(const Call& call, const CallPlan& plan, Open& open) RANKLET_REQUIRES(lock_);
  void file_call_ended(const Call& call, Open& open) RANKLET_REQUIRES(lock_);
  void note_opening(const Call& call, bool success) RANKLET_REQUIRES(lock_);
  // buffer_checks.cpp
  static const char* buffer_name(const check::BufferUse& use);
  static const char* buffer_rule(const check::BufferUse& use);
  void check_buffers(const std::vector<check::BufferUse>& uses, const RecordedCall& call)
      RANKLET_REQUIRES(lock_);
  // request_checks.cpp
  // address: of its only buffer that is the program's again; null: all are.
  void operation_ended(const void* owner, const Call& completion, const void* address = nullptr)
      RANKLET_REQUIRES(lock_);
  void note_requests(const Call& call, const CallPlan& plan, Open& open) RANKLET_REQUIRES(lock_);
  void requests_made(const Call& call, const CallPlan& plan, Open& open) RANKLET_REQUIRES(lock_);
  void requests_started(const Open& open, bool success) RANKLET_REQUIRES(lock_);
  void requests_ended(const Open& open) RANKLET_REQUIRES(lock_);
  void requests_freed(const Open& open) RANKLET_REQUIRES(lock_);
  void forget(const Given& given) RANKLET_REQUIRES(lock_);
  const KnownRequest* find(const Request& request) const RANKLET_REQUIRES(lock_);

  // portability_checks.cpp
  void check_operator(const Call& call);

  // partition_checks.cpp
  void partitions_ready(const Call& call, const Request& request) RANKLET_REQUIRES(lock_);
  void partition_arrived(const Open& open) RANKLET_REQUIRES(lock_);

  Ref<const RecordedCall> sending(const Request& send);
  void received(const Request& receive, const RecordedCall& sent);

  // leaks.cpp
  void find_request_leaks() RANKLET_REQUIRES(lock_);
  template <class Table>
  void find_leaks(Table& table, const char* what, const char* rule) RANKLET_REQUIRES(lock_);

  RankState& state_;
  mutable Mutex lock_;
  std::vector<Open> open_ RANKLET_GUARDED_BY(lock_);
  // Living handles that are not requests.
  std::unordered_map<std::uintptr_t, CallRecordRef> made_ RANKLET_GUARDED_BY(lock_);
  std::unordered_map<int, CallRecordRef> keyvals_ RANKLET_GUARDED_BY(lock_);
  std::unordered_map<const Request*, KnownRequest> requests_ RANKLET_GUARDED_BY(lock_);
  check::PendingBuffers pending_ RANKLET_GUARDED_BY(lock_);
  std::unordered_multimap<const void*, OriginUse> origins_ RANKLET_GUARDED_BY(lock_);  // by address
  CallRecordRef init_ RANKLET_GUARDED_BY(lock_);
  // Of a file, whose MPI_FILE_NULL nobody has used yet.
  CallRecordRef failed_open_ RANKLET_GUARDED_BY(lock_);
  bool finalize_failed_ RANKLET_GUARDED_BY(lock_) = false;
};

}  // namespace ranklet::api
