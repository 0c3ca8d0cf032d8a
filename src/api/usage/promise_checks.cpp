// Assertions of synchronising calls on windows (MPI 5.0 §12.5.5), against what is done there: MPI_MODE_NOPUT,
// MPI_MODE_NOSTORE and MPI_MODE_NOCHECK. Whether MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED are true is looked
// at by src/rma, and whether all members give them by collective_checks.cpp.
#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"

namespace ranklet::api {

namespace {

// What a rank may have promised not to store to; none if others may do so, too.
std::span<const char> part_of(Window& window)
{
  const rma::Flavor flavor = window.shared().flavor;
  if (flavor == rma::Flavor::dynamic || flavor == rma::Flavor::shared) return {};
  const rma::Target& part = window.target(window.rank());
  return {part.base, static_cast<std::size_t>(part.size)};
}

}  // namespace

void RankChecks::report_broken(const std::optional<check::Conflict>& conflict, const CallRecordRef& own)
{
  if (conflict)
    report(check::Finding::Weight::error, conflict->what, conflict->rule, own.get(), conflict->other.get());
}

void RankChecks::promise_starts(const Call& call, Window& window)
{
  const std::string_view name = call.function().name;
  const Arguments arguments(state_, call);
  check::Promises& promises = state_.rank.job.checks->promises;
  const check::Origin own = origin_of(window);
  const int assert_at = find_parameter(call.function(), "assert");
  const Word assertion = assert_at < 0 ? 0 : call.word_of(assert_at);
  const bool no_put = (assertion & MPI_MODE_NOPUT) != 0;
  if (name == "MPI_Win_shared_query") {
    promises.share(&window.shared());
  } else if (assert_at >= 0 && (assertion & MPI_MODE_NOSTORE) && promises.has_stored(own, part_of(window))) {
    report(check::Finding::Weight::error,
           "MPI_MODE_NOSTORE was given, but the rank's part of the window is not as its last synchronization "
           "left it",
           "MPI 5.0 §12.5.5", record(call).get());
  }
  promises.may_store(own);
  if (name == "MPI_Win_fence") {
    const CallRecordRef made = record(call);
    report_broken(promises.fence_starts(own, no_put, Ref<const RecordedCall>(*made)), made);
  } else if (name == "MPI_Win_post") {
    promises.posted(own, no_put, Ref<const RecordedCall>(*record(call)));
  } else if (name == "MPI_Win_lock_all" || (name == "MPI_Win_lock" && arguments.word("rank") >= 0)) {
    const bool all = name == "MPI_Win_lock_all";
    const bool exclusive = !all && arguments.word("lock_type") == MPI_LOCK_EXCLUSIVE;
    const CallRecordRef made = record(call);
    report_broken(promises.locks(own, all ? -1 : static_cast<int>(arguments.word("rank")), exclusive,
                                 (assertion & MPI_MODE_NOCHECK) != 0, Ref<const RecordedCall>(*made)),
                  made);
  } else if (name == "MPI_Win_unlock" && arguments.word("rank") >= 0) {
    promises.unlocks(own, static_cast<int>(arguments.word("rank")));
  } else if (name == "MPI_Win_unlock_all") {
    promises.unlocks(own, -1);
  }
}

// What ranks tell each other by variables need not be seen.
void RankChecks::note_part(Window& window)
{
  const Job& job = state_.rank.job;
  const std::span<const char> part = part_of(window);
  if (!part.empty() && !job.options().shares_variables)
    job.checks->promises.synchronized(origin_of(window), part);
}

void RankChecks::promise_ended(const Call& call, Window& window)
{
  const std::string_view name = call.function().name;
  const Arguments arguments(state_, call);
  check::Promises& promises = state_.rank.job.checks->promises;
  if (name == "MPI_Win_fence") {
    promises.fenced(origin_of(window));
    note_part(window);
  } else if (name == "MPI_Win_wait" ||
             (name == "MPI_Win_test" && *reinterpret_cast<const int*>(arguments.word("flag")))) {
    promises.waited(origin_of(window));
    note_part(window);
  } else if (name == "MPI_Win_start" && (arguments.word("assert") & MPI_MODE_NOCHECK)) {
    // A target that has not posted by now had not when the call began.
    for (const int target : window.started.ranks())
      if (!window.epoch_counts.has_posted_for_start(target))
        report(check::Finding::Weight::error,
               "MPI_MODE_NOCHECK was given, but target " + std::to_string(target) +
                   " has not called MPI_Win_post before",
               "MPI 5.0 §12.5.5", record(call).get());
  }
}

}  // namespace ranklet::api
