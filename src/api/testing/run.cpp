// What the thread does that has called run().
#include "api/testing/run.hpp"

#include <algorithm>
#include <climits>

#include <unistd.h>

#include "api/impl/job_setup.hpp"
#include "api/usage/observers.hpp"
#include "api/usage/partners.hpp"
#include "api/usage/rank_checks.hpp"
#include "base/config.hpp"
#include "base/log.hpp"

namespace ranklet::api {

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
  options.wait = configured_wait_policy(config(), size, Topology::machine().usable_cpus());
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

Report Run::go()
{
  const auto begin = std::chrono::steady_clock::now();
  {
    Team team(job_.size(), [this](int rank) { run_rank(job_.rank(rank)); });
    caller_.set(::gettid());
    if (options_.timeout.count() > 0 && !team.wait_for(options_.timeout)) end_by_timeout();
    while (!ended(team)) warn_of_the_rest();
  }
  return report(std::chrono::steady_clock::now() - begin);
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
