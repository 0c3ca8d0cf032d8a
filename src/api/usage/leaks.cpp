// What a rank has left behind when MPI ends there (MPI 5.0 §11.2.2).
#include "api/usage/rank_checks.hpp"
#include "p2p/engine.hpp"

namespace ranklet::api {

template <class Table>
void RankChecks::find_leaks(Table& table, const char* what, const char* rule)
{
  table.for_each([&](auto handle, const auto& object) RANKLET_UNCHECKED {
    // Nobody here has made what has started this job.
    if constexpr (std::is_same_v<std::decay_t<decltype(object)>, CommRef>)
      if (object->is_parent) return;
    const auto made = made_.find(handle_value(handle));
    const RecordedCall* const call = made == made_.end() ? nullptr : made->second.get();
    report(check::Finding::Weight::leak, what, rule, call);
  });
}

void RankChecks::find_request_leaks()
{
  state_.requests.for_each([&](MPI_Request, Request* request) RANKLET_UNCHECKED {
    const KnownRequest* const known = find(*request);
    const RecordedCall* const call = known ? known->made.get() : nullptr;
    if (request->active())
      report(check::Finding::Weight::leak, "the operation was never completed by a wait or test",
             "MPI 5.0 §11.2.2", call);
    else
      report(check::Finding::Weight::leak,
             known && !known->started ? "a persistent request was never started, and not freed"
                                      : "a persistent request was not freed",
             "MPI 5.0 §3.9", call);
  });
}

void RankChecks::last_instance_closes()
{
  const std::vector<Ref<const RecordedCall>> unreceived = state_.rank.p2p->unreceived();
  const Holder guard(lock_);
  for (const Ref<const RecordedCall>& sent : unreceived)
    report(check::Finding::Weight::leak, "a message was never received", "MPI 5.0 §11.2.2",
           current_call() ? record(static_cast<const Call&>(*current_call())).get() : nullptr, sent.get());
  collectives_end();
  find_leaks(state_.comms, "a communicator was not freed", "MPI 5.0 §7.4.3");
  find_leaks(state_.groups, "a group was not freed", "MPI 5.0 §7.3.3");
  state_.types.for_each([&](MPI_Datatype handle, const Ref<Datatype>& type) RANKLET_UNCHECKED {
    if (type->is_predefined()) return;
    const auto made = made_.find(handle_value(handle));
    report(check::Finding::Weight::leak, "a datatype was not freed", "MPI 5.0 §5.1.9",
           made == made_.end() ? nullptr : made->second.get());
  });
  find_leaks(state_.ops, "an operator was not freed", "MPI 5.0 §6.9.5");
  find_leaks(state_.wins, "a window was not freed", "MPI 5.0 §12.2.5");
  find_leaks(state_.files, "a file was not closed", "MPI 5.0 §14.2.2");
  find_leaks(state_.messages, "a matched message was never received", "MPI 5.0 §3.8.2");
  for (const auto& [number, made] : keyvals_)
    report(check::Finding::Weight::leak, "an attribute key was not freed", "MPI 5.0 §7.7", made.get());
  find_request_leaks();
}

void RankChecks::program_ended(int exit_code) noexcept
{
  const Holder guard(lock_);
  // A failed MPI_Finalize has its own report.
  if (state_.initialized && !state_.finalized && !finalize_failed_ && exit_code == 0)
    report(check::Finding::Weight::error, "the program has ended without MPI_Finalize", "MPI 5.0 §11.2.2",
           init_.get());
  find_leaks(state_.infos, "an info object was not freed", "MPI 5.0 §10");
  find_leaks(state_.errhandlers, "an error handler was not freed", "MPI 5.0 §9.3");
  find_leaks(state_.sessions, "a session was not finalized", "MPI 5.0 §11.3.1");
}

}  // namespace ranklet::api
