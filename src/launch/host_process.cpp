#include "launch/host_process.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/config.hpp"
#include "base/log.hpp"
#include "handover/program_state.hpp"
#include "launch/output_rules.hpp"
#include "launch/rank_threads.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/state_signal.hpp"
#include "ranks/hosting.hpp"
#include "terms/exit_code.hpp"

namespace ranklet::launch {

namespace {

// How long the job's end waits for locks that may stay taken.
constexpr std::chrono::milliseconds time_for_locks{1000};
// LeakSanitizer's own.
constexpr int exit_code_of_leaks = 23;

}  // namespace

std::vector<loader::RankOutputSettings> HostProcess::outputs_of(const JobDescription& job,
                                                                const Config& settings, int world)
{
  if (job.control < 0) return output_settings(settings, job.size(), world);
  return std::vector<loader::RankOutputSettings>(static_cast<std::size_t>(job.size()));
}

HostProcess::HostProcess(JobDescription description, Programs& programs, int listener)
    : output_(outputs_of(description, config(), 1)),
      input_(description.size(), description.control < 0 ? input_receiver(config(), description.size())
                                                         : loader::JobInput::nobody),
      crash_reports_(output_, &recover_from_bus_error),
      parts_{programs,
             output_,
             input_,
             crash_reports_,
             handover::allowed_cpus(),
             [this](const check::Finding& finding) { note_finding(finding); },
             [this](const World& world, int rank, int code, std::string_view why) {
               end(&world, rank, code, why);
             },
             [this](const JobToStart& job) { start_programs(job); },
             [this](World& world) { note_over(world); }},
      reports_bindings_(config().report_bindings && description.control < 0),
      is_singleton_(description.is_singleton),
      first_(std::make_shared<World>(std::move(description), parts_, config(),
                                     WorldPlace{.number = worlds_.new_number()})),
      listener_(listener)
{
  if (!config().check_log.empty()) finding_records_.emplace(config().check_log);
  if (!config().check_report.empty()) findings_report_.emplace(config().check_report);
  worlds_.add(first_);
}

int HostProcess::run()
{
  World& first = *first_;
  ending_signals_.emplace([this](const loader::SignalCause& cause) { end_by_signal(cause); },
                          [this](int signal) { return all_take(worlds_.of(0), signal); });
  the_process = this;
  before_sanitizer_ends_process(end_by_sanitizer);
  print_state_on_signal([&] { output_.note(state_text()); });
  if (reports_bindings_) output_.note(first.placement().report() + first.thread_counts_text());
  log(LogLevel::info, "%s", Topology::machine().summary().c_str());
  if (listener_ >= 0) take_in_guests();
  first.start();
  do await_worlds();
  while (guests_ && !guests_->close_door_if([this] { return !worlds_.running(); }));
  output_.flush();
  for (const std::shared_ptr<World>& world : worlds_.list()) world->await_threads();
  auto [text, code] = worlds_.own_end();
  const bool misses_ranks = first.misses_ranks();
  const std::vector<std::string> losses = output_.losses();
  for (const std::string& line : losses) text += "mpiexec: " + line + "\n";
  const Holder guard(mutex_);
  if (wrong_ > 0)
    text += "mpiexec: the usage checks have found " + std::to_string(wrong_) +
            (wrong_ == 1 ? " error or leak\n" : " errors or leaks\n");
  if (!text.empty()) output_.note(text);
  // The ranks' threads are still there: what only their thread-local variables point to is not lost.
  if (report_leaks()) {
    output_.note("mpiexec: LeakSanitizer has found memory that no rank can reach any more\n");
    if (code == 0) return exit_code_of_leaks;
  }
  crash_reports_.await_report();
  // A signal has the last word.
  if (!ending_.try_lock()) sleep_for_ever();
  return code == 0 && (wrong_ > 0 || !losses.empty() || misses_ranks) ? 1 : code;
}

std::string HostProcess::state_text()
{
  return "mpiexec: the ranks at this moment:\n" + first_->job().state();
}

void HostProcess::note_finding(const check::Finding& finding)
{
  if (finding_records_) return finding_records_->add(finding);
  {
    const Holder guard(mutex_);
    if (finding.weight != check::Finding::Weight::advice || config().check == CheckMode::strict) ++wrong_;
  }
  output_.note(text(finding));
  if (findings_report_) findings_report_->add(finding);
}

void HostProcess::end(const World* world, int rank, int code, std::string_view why)
{
  // Others wait for it in vain.
  if (world != nullptr) why = world->reason(rank, why);
  if (!ending_.try_lock()) sleep_for_ever();
  last_memory_.reset();
  try {
    say_why(world, rank, code, why);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view text = "mpiexec: the job ended: there is no memory left\n";
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(exit_code_of(code));
  }
  ::_exit(exit_code_of(code));
}

std::string HostProcess::name_of(const World* world, int rank)
{
  return rank >= 0 ? world->text_of(rank) : "the job";
}

void HostProcess::say_why(const World* world, int rank, int code, std::string_view why)
{
  write_out_everything(world, rank);
  const std::string who = name_of(world, rank);
  // A process need not say it, but its guests want to know.
  if (why.empty()) {
    if (guests_)
      guests_->all_end(exit_code_of(code), "mpiexec: " + who + " " + exit_text(code & 0xff) + "\n");
    return;
  }
  // A report of several lines stands for itself; a line that says who and why follows in any case.
  std::string text(why);
  if (why.find('\n') != why.npos)
    text += std::string(why.ends_with('\n') ? "" : "\n") + "mpiexec: " + who + " ended" +
            (rank >= 0 ? " the job" : "") + " with code " + std::to_string(exit_code_of(code)) + "\n";
  else
    text = "mpiexec: " + who + " " + text + "\n";
  // Guests are told first, as the reader of our stream may be slow.
  if (guests_) guests_->all_end(exit_code_of(code), text);
  output_.note(text);
}

void HostProcess::write_out_everything(const World* mine, int except)
{
  const TimeToRest time;
  std::vector<std::shared_ptr<loader::LibcState>> states;
  const Worlds::List all = worlds_.list();
  for (const std::shared_ptr<World>& world : all) {
    world->await_rest(world.get() == mine ? except : -1, time);
    std::ranges::move(world->states(), std::back_inserter(states));
  }
  loader::Patience patience(time_for_locks);
  for (const std::shared_ptr<loader::LibcState>& state : states)
    if (state) loader::flush_stdio_after_crash(*state, patience);
  output_.flush_after_crash(patience);
}

bool HostProcess::all_take(const Worlds::List& worlds, int signal)
{
  bool all = true;
  int running = 0;
  for (const std::shared_ptr<World>& world : worlds) all = world->all_take(signal, running) && all;
  return all && running > 0;
}

const World* HostProcess::world_of(const loader::ProcessState* process)
{
  return process != nullptr ? static_cast<const World*>(&process->host) : nullptr;
}

void HostProcess::end_by_signal(const loader::SignalCause& cause)
{
  if (!ending_.try_lock()) sleep_for_ever();
  const World* const world = world_of(cause.process);
  const int rank = world != nullptr ? cause.process->rank : -1;
  std::string who = name_of(world, rank) + " " + signal_text(cause.signal);
  // mpiexec explains the signals that it sends, and a user who types ctrl-C knows.
  const bool is_known = rank < 0 && (is_singleton_ || cause.sender == 0 || cause.sender == ::getppid());
  if (rank < 0 && !is_known) who += ", sent by process " + std::to_string(cause.sender);
  write_out_everything(world, rank);
  if (guests_) guests_->all_end(128 + cause.signal, "mpiexec: " + who + "\n");
  if (is_known) return;
  // The thread that got SIGPIPE holds what it was writing with.
  const auto lock = output_.hold_notes();
  const std::string line = "mpiexec: " + who + "\n";
  if (::write(output_.note_descriptor(), line.data(), line.size()) < 0) return;
}

void HostProcess::end_by_sanitizer()
{
  if (!the_process->ending_.try_lock()) return;
  const loader::ProcessState* const process = loader::current_process();
  const World* const world = world_of(process);
  const int rank = world != nullptr ? process->rank : -1;
  the_process->write_out_everything(world, rank);
  the_process->output_.note("mpiexec: " + name_of(world, rank) + " was ended by a sanitizer\n");
}

}  // namespace ranklet::launch
