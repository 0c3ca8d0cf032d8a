#include "api/testing/run.hpp"

#include <pthread.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "api/impl/impl.hpp"
#include "api/impl/job_setup.hpp"
#include "api/testing/uncaught.hpp"
#include "api/usage/observers.hpp"
#include "api/usage/partners.hpp"
#include "api/usage/rank_checks.hpp"
#include "base/config.hpp"
#include "base/fortran_site.hpp"
#include "base/log.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {
namespace {

using Clock = std::chrono::steady_clock;

// How long a run that is being stopped waits before it says for whom, and ranks for each other's destructors.
constexpr std::chrono::milliseconds patience(5000);

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

Run::Run(int size, ranklet::detail::Body body, void* closure, const Options& options,
         std::shared_ptr<Arbiter> arbiter, const Config& settings)
    : options_(options),
      body_(body),
      closure_(closure),
      members_(static_cast<std::size_t>(size)),
      job_(size, job_options(size, std::move(arbiter), settings))
{
  for (int i = 0; i < size; ++i) {
    RankState& state = *job_.rank(i).api;
    member(i).run = this;
    state.run = &member(i);
    state.observe(member(i).tally);
  }
}

JobOptions Run::job_options(int size, std::shared_ptr<Arbiter> arbiter, const Config& settings)
{
  JobOptions options;
  options.extensions = extensions();
  options.wait = configured_wait_policy(config(), size <= Topology::machine().usable_cpus());
  options.eager_limit = settings.eager_bytes();
  options.unexpected_limit = settings.unexpected_bytes();
  apply_modes(options, settings);
  set_arbiter(options, std::move(arbiter));
  options.live_threads = [this](int rank) {
    return static_cast<int>(std::min<std::int64_t>(member(rank).threads.value(), INT_MAX));
  };
  options.others_sleep = [this](const std::vector<pid_t>& waiting) {
    std::vector<pid_t> known = waiting;
    known.push_back(caller_.get());
    return others_.all_sleep(known);
  };
  options.partners = partners;
  options.unmatched = unmatched_messages;
  options.awaited = awaited_requests;
  options.not_started = requests_not_started;
  options.explain = crossed_collectives;
  options.reports_deadlocks = options_.deadlocks && config().deadlock_report == Choice::yes;
  options.places = [size] {
    const Topology& machine = Topology::machine();
    return std::vector<Place>(static_cast<std::size_t>(size), find_place(machine, machine.allowed()));
  };
  options.checks = call_hooks(options_.checks);
  options.shares_variables = true;
  options.on_abort = [this](Rank* who, int code, const std::string& why) { note_abort(who, code, why); };
  return options;
}

// --- on the ranks' threads

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

// What comes after the rank's own failure follows from that: it is no news. threw: by the current exception.
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

// --- on the thread that has called run()

Report Run::go()
{
  const Clock::time_point begin = Clock::now();
  {
    Team team(job_.size(), [this](int rank) { run_rank(job_.rank(rank)); });
    caller_.set(::gettid());
    if (options_.timeout.count() > 0 && !team.wait_for(options_.timeout)) end_by_timeout();
    while (!ended(team)) warn_of_the_rest();
  }
  return report(Clock::now() - begin);
}

// Waits until all have ended; false when they should have, as the run is being stopped.
bool Run::ended(Team& team)
{
  while (!team.wait_for(patience))
    if (job_.cancelled()) return false;
  return true;
}

void Run::end_by_timeout()
{
  const std::string state = job_.deadlocks.state();
  {
    const Holder guard(lock_);
    if (!has_failed_)
      add_finding(Finding::Kind::timeout, -1,
                  "timeout: the ranks have not ended within " + std::to_string(options_.timeout.count()) +
                      " ms\n" + state);
    has_failed_ = true;
  }
  job_.cancel();
}

void Run::warn_of_the_rest()
{
  std::string ranks;
  for (int i = 0; i < job_.size(); ++i)
    if (job_.phase(i) != Phase::left) ranks += " " + std::to_string(i);
  if (!ranks.empty() && !warned_)
    log(LogLevel::warning, "ranklet::run is being stopped, but these ranks do not call MPI:%s",
        ranks.c_str());
  warned_ = true;
}

}  // namespace ranklet::api
