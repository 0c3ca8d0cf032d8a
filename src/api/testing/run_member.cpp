// What a rank of a run does on its threads, and how it ends.
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "api/impl/impl.hpp"
#include "api/impl/job_setup.hpp"
#include "api/testing/run.hpp"
#include "api/testing/uncaught.hpp"
#include "base/fortran_site.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {
namespace {

ThreadLevel thread_level(int level)
{
  if (level <= MPI_THREAD_SINGLE) return ThreadLevel::single;
  if (level <= MPI_THREAD_FUNNELED) return ThreadLevel::funneled;
  return level <= MPI_THREAD_SERIALIZED ? ThreadLevel::serialized : ThreadLevel::multiple;
}

const FunctionInfo& function_named(const char* name)
{
  return *std::ranges::find_if(
      all_functions(), [&](const FunctionInfo& function) { return std::strcmp(function.name, name) == 0; });
}

// MPI_Finalize for the program, as an entry point would call it.
void finalize(Rank& rank)
{
  static const FunctionInfo& function = function_named("MPI_Finalize");
  Call call(function, false, nullptr, nullptr);
  try {
    call.enter_early();
    if (rank.job.cancelled()) rank.job.stop();
    impl::Finalize(rank);
  } catch (...) {
    call.failed();
  }
}

// The argument vector of one rank, which may change it.
class ProgramArguments {
 public:
  explicit ProgramArguments(std::vector<std::string> words) : words_(std::move(words))
  {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  int count() const noexcept { return static_cast<int>(words_.size()); }
  char** values() noexcept { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

std::string place_of_call()
{
  const CallNote* const note = current_call();
  if (!note || !note->site) return "";
  return source_line(static_cast<const char*>(users_site(note->site)) - 1).value_or("");
}

// As debuggers and ThreadSanitizer show the calling thread (api/usage/race_findings.cpp reads the number).
void name_thread(const Rank& rank) noexcept
{
  char name[16];
  std::snprintf(name, sizeof name, "rank.%d", rank.world_rank);
  pthread_setname_np(pthread_self(), name);
}

}  // namespace

template <class Function>
void Run::run_watched(Rank& rank, Function&& function, bool takes_turns)
{
  struct Context {
    Run& run;
    Rank& rank;
    Function& function;
    bool takes_turns;
  } context{*this, rank, function, takes_turns};
  try {
    call_watched([](void* given) { static_cast<Context*>(given)->function(); },
                 [](void* given) {
                   const Context& my = *static_cast<Context*>(given);
                   // The exception may be the end of this rank, which is no news, or the program's.
                   my.run.wait_to_fail(my.rank);
                   my.run.cancel_for(my.rank);
                   my.run.job_.await_rest();
                   if (my.takes_turns) my.run.unwinding_.await(my.rank, patience);
                 },
                 &context);
  } catch (const JobCancelled&) {
    note_result(rank, RankResult::End::stopped);
  } catch (...) {
    note_result(rank, RankResult::End::threw);
    note_failure(rank);
  }
}

void Run::run_rank(Rank& rank)
{
  name_thread(rank);
  bind_current_rank(&rank);
  run_watched(
      rank, [&] { call_body(rank); }, true);
  unwinding_.leave(rank);
  job_.end(rank);
  set_current_call(nullptr);
  bind_current_rank(nullptr);
}

void Run::run_thread(Rank& rank, void (*function)(void*), void* closure) noexcept
{
  name_thread(rank);
  bind_current_rank(&rank);
  // Not in turn: the rank's destructors mostly wait for this one.
  run_watched(
      rank, [&] { function(closure); }, false);
  set_current_call(nullptr);
  bind_current_rank(nullptr);
}

void Run::call_body(Rank& rank)
{
  RunMember& self = member(rank.world_rank);
  start_world(rank, thread_level(options_.thread_level));
  ProgramArguments arguments(options_.arguments);
  const int code = body_(closure_, rank.world_rank, job_.size(), arguments.count(), arguments.values());
  if (!rank.api->finalized) finalize(rank);
  if (job_.cancelled()) {
    // A rank that was stopped in a call that frees something has returned like others.
    if (!rank.api->finalized) note_result(rank, RankResult::End::stopped);
  } else if (options_.checks) {
    for (CallObserver* const observer : rank.api->observers) observer->program_ended(0);
  } else {
    self.leaks = leaks_of(*rank.api);
  }
  const Holder guard(lock_);
  if (self.result.end != RankResult::End::aborted) self.result.code = code;
}

void Run::stop_for(Rank& rank) noexcept
{
  cancel_for(rank);
  // A thread that is inside even then waits, in a function that MPI has called, for something that we hold.
  if (!detail::inside) job_.await_rest(2 * patience);
}

// For an arbiter that lets all else happen first. Inside MPI, as the rank goes on working for others.
void Run::wait_to_fail(Rank& rank)
{
  if (!job_.options().arbiter || job_.cancelled()) return;
  try {
    job_.enter(rank);
    job_.let_others_go_first(rank);
  } catch (const JobCancelled&) {
    // Another rank has failed first.
  }
}

void Run::cancel_for(const Rank& rank)
{
  if (job_.cancelled()) return;
  note_failure(rank);
  job_.cancel();
}

void Run::note_failure(const Rank& rank)
{
  const Holder guard(lock_);
  if (!has_failed_) maker_.first_failure() = rank.world_rank;
  has_failed_ = true;
}

// MPI_Abort, a fatal error, or a deadlock.
void Run::note_abort(Rank* who, int code, const std::string& why)
{
  const Holder guard(lock_);
  if (who) {
    RankResult& result = member(who->world_rank).result;
    result.end = RankResult::End::aborted;
    result.code = code;
    result.what = why;
    if (!has_failed_) maker_.first_failure() = who->world_rank;
    add_finding(Finding::Kind::error, who->world_rank, why).place = place_of_call();
  } else if (!has_failed_) {
    add_finding(Finding::Kind::deadlock, -1, why);
  }
  has_failed_ = true;
}

// Failures after the rank's first one follow from that: they are no news. threw: by the current exception.
void Run::note_result(Rank& rank, RankResult::End end)
{
  const bool threw = end == RankResult::End::threw;
  std::string what = threw ? describe_current_exception() : std::string();
  const Holder guard(lock_);
  RankResult& result = member(rank.world_rank).result;
  if (result.end == RankResult::End::aborted || result.end == RankResult::End::threw) return;
  result.end = end;
  if (threw) result.exception = std::current_exception();
  result.what = std::move(what);
}

}  // namespace ranklet::api
