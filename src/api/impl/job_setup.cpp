#include "api/impl/job_setup.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "api/entry/joining.hpp"
#include "api/handles/rank_state.hpp"
#include "api/usage/observers.hpp"
#include "api/usage/partners.hpp"
#include "api/usage/rank_checks.hpp"
#include "base/config.hpp"
#include "base/log.hpp"
#include "coll/coll.hpp"
#include "comm/ports.hpp"
#include "explore/arbiters.hpp"
#include "p2p/p2p.hpp"
#include "ranks/findings_report.hpp"
#include "ranks/foreign_start.hpp"
#include "ranks/hosting.hpp"
#include "ranks/start_info.hpp"
#include "terms/exit_code.hpp"

namespace ranklet {

namespace api {
namespace {

memmodel::Flag<>& hosting()
{
  static memmodel::Flag<> flag;
  return flag;
}

void apply_settings(JobOptions& options, int size)
{
  apply_modes(options);
  set_arbiter(options, make_arbiter(config(), size, are_checked(options)));
}

JobOptions singleton_options()
{
  JobOptions options;
  options.extensions = extensions();
  options.wait = WaitPolicy::automatic(1, 1);
  options.checks = call_hooks(config().checks());
  const auto report = config().check_report.empty()
                          ? nullptr
                          : std::make_shared<check::FindingsReport>(config().check_report);
  options.on_finding = [report](const check::Finding& finding) {
    std::fputs(text(finding).c_str(), stderr);
    if (report) report->add(finding);
  };
  options.eager_limit = config().eager_bytes();
  options.unexpected_limit = config().unexpected_bytes();
  apply_settings(options, 1);
  options.places = [] {
    const Topology& machine = Topology::machine();
    return std::vector<Place>{find_place(machine, machine.allowed())};
  };
  options.on_abort = [](Rank*, int code, const std::string& why) {
    std::fflush(nullptr);
    // A line that is not a report begins with what its rank did.
    const bool is_report = why.find('\n') != why.npos;
    if (!why.empty()) std::fprintf(stderr, is_report ? "%s" : "rank 0 %s\n", why.c_str());
    if (is_report && why.back() != '\n') std::fputc('\n', stderr);
    std::_Exit(exit_code_of(code));
  };
  return options;
}

}  // namespace

void apply_modes(JobOptions& options, const Config& settings)
{
  options.collectives = settings.collectives;
  options.delays = settings.delays;
  options.remark = settings.portability();
}

void set_arbiter(JobOptions& options, std::shared_ptr<Arbiter> arbiter)
{
  options.arbiter = std::move(arbiter);
  if (!options.arbiter || !options.arbiter->holds_receives()) return;
  // Ranks wait for the moment when nothing moves. Loose collectives show what may come before their end.
  options.wait = {.spins = 0, .yields = 20, .park = true};
  if (options.collectives == CollectiveMode::automatic) options.collectives = CollectiveMode::loose;
}

std::vector<Extension> extensions()
{
  return {comm::extension(), p2p::extension(), api::extension(), observers_extension(), io::extension()};
}

void describe_start(Rank& rank, const Info& start)
{
  auto info = std::make_unique<Info>(start);
  info->set(memory_kinds_key, memory_kinds);
  rank.api->infos.install(MPI_INFO_ENV, std::move(info));
}

bool hosts_ranks() noexcept
{
  return hosting().is_set();
}

Rank* join_process()
{
  if (hosting().is_set()) return nullptr;
  // Never destroyed: functions that run at the end of the process may still call MPI_Finalized.
  static Job& job = *[] {
    for (const std::string& warning : config().warnings) log(LogLevel::warning, "%s", warning.c_str());
    const std::string warning = singleton_warning();
    if (!warning.empty()) log(LogLevel::warning, "%s", warning.c_str());
    Job* const made = new Job(1, singleton_options());
    describe_start(made->rank(0), start_info_of_process());
    static Job* const singleton = made;
    if (made->options().arbiter) std::atexit([] { singleton->leave(singleton->rank(0), 0); });
    return made;
  }();
  bind_current_rank(&job.rank(0));
  return &job.rank(0);
}

void check_start(const Rank& rank)
{
  if (hosts_ranks() || rank.api->run || foreign_launcher() == ForeignLauncher::allow) return;
  const std::string start = foreign_start();
  if (start.empty()) return;
  const std::string text =
      "this program was started " + start +
      " but was built with Ranklet: each process would be a job of one rank. Start it once, by "
      "Ranklet's mpiexec -n N (RANKLET_FOREIGN_LAUNCHER=allow: jobs of one rank are meant)";
  if (foreign_launcher() == ForeignLauncher::refuse) fail(ErrorClass::other, "%s", text.c_str());
  log(LogLevel::warning, "%s", text.c_str());
}

}  // namespace api

namespace {

class Hosted final : public HostedJob {
 public:
  explicit Hosted(HostedJobOptions options)
      : job_(options.size, job_options(options)),
        universe_size_(std::max(options.universe_size, options.size))
  {
    for (int i = 0; i < job_.size(); ++i) {
      comm::RankState& comm = *job_.rank(i).comm;
      comm.universe_size = universe_size_;
      if (static_cast<std::size_t>(i) < options.app_numbers.size())
        comm.appnum = options.app_numbers[static_cast<std::size_t>(i)];
      if (static_cast<std::size_t>(comm.appnum) < options.programs.size())
        api::describe_start(job_.rank(i), options.programs[static_cast<std::size_t>(comm.appnum)]);
    }
    // A job that another one has started has that one's files, which may be open.
    if (options.started_by)
      options.started_by->introduce(job_);
    else
      job_.files->recovers_stores = true;
    // Others find it so.
    if (!options.started_by && !options.beside) job_.universe->takes_in_jobs = options.takes_in_jobs;
  }

  void bind_thread(int rank) noexcept override { bind_current_rank(rank < 0 ? nullptr : &job_.rank(rank)); }
  void rank_ended(int rank, int exit_code) noexcept override
  {
    const api::RankState& state = *job_.rank(rank).api;
    for (api::CallObserver* const observer : state.observers) observer->program_ended(exit_code);
    job_.leave(job_.rank(rank), exit_code);
  }
  void programs_ended() override { job_.rank(0).comm->ports->forget(job_); }
  void rank_fails(int rank) noexcept override
  {
    try {
      job_.let_others_go_first(job_.rank(rank));
    } catch (const JobCancelled&) {
      // Then it ends anyway.
    }
  }
  void wait_by(const WaitPolicy& policy) noexcept override
  {
    // Ranks that wait for the moment when nothing moves go on so (set_arbiter).
    const Arbiter* const arbiter = job_.options().arbiter.get();
    if (arbiter == nullptr || !arbiter->holds_receives()) job_.wait_by(policy);
  }
  bool mpi_active(int rank) const noexcept override { return job_.phase(rank) == Phase::active; }
  bool mpi_started(int rank) const noexcept override { return job_.phase(rank) != Phase::before_init; }
  std::string state() override { return job_.deadlocks.state(); }
  bool is_forgotten() const noexcept override { return job_.foreign_communicators.value() == 0; }
  int universe_size() const noexcept override { return universe_size_; }

 private:
  static JobOptions job_options(const HostedJobOptions& hosted)
  {
    JobOptions options;
    options.extensions = api::extensions();
    options.wait = hosted.wait;
    options.eager_limit = hosted.eager_limit;
    options.unexpected_limit = hosted.unexpected_limit;
    options.places = hosted.places;
    options.live_threads = hosted.live_threads;
    options.sleeping_threads = hosted.sleeping_threads;
    options.partners = api::partners;
    options.unmatched = api::unmatched_messages;
    options.awaited = api::awaited_requests;
    options.not_started = api::requests_not_started;
    options.explain = api::crossed_collectives;
    options.reports_deadlocks = hosted.reports_deadlocks;
    options.checks = api::call_hooks(hosted.checks);
    options.on_finding = hosted.on_finding;
    if (hosted.started_by || hosted.beside) {
      options.spawner = hosted.started_by ? &hosted.started_by->spawner
                                          : &static_cast<Hosted*>(hosted.beside)->job_.rank(0);
      options.world = hosted.world;
      api::apply_modes(options);
      if (hosted.started_by) {
        options.path = options.spawner->path();
        options.path.push_back(static_cast<int>(hosted.started_by->spawner.jobs_started.take()));
        api::set_arbiter(options, options.spawner->job.options().arbiter);
      }
    } else {
      api::apply_settings(options, hosted.size);
    }
    options.start_programs = hosted.start_programs;
    options.on_abort = [report = hosted.on_abort](Rank* who, int code, const std::string& why) {
      api::thread_ends();
      if (report) report(who ? who->world_rank : -1, code, why);
    };
    return options;
  }

  Job job_;
  const int universe_size_;
};

}  // namespace

bool recover_from_bus_error(void* context) noexcept
{
  return io::recover_store(context);
}

std::unique_ptr<HostedJob> make_hosted_job(HostedJobOptions options)
{
  api::hosting().set();
  return std::make_unique<Hosted>(std::move(options));
}

}  // namespace ranklet

// For ranklet-interpreter, before it starts its program on the rank's main thread.
extern "C" [[gnu::visibility("default")]] void ranklet_interpreter_frames(ranklet::DumpFrames dump);
void ranklet_interpreter_frames(ranklet::DumpFrames dump)
{
  if (ranklet::Rank* const rank = ranklet::current_rank()) rank->dump_frames.set(dump);
}
