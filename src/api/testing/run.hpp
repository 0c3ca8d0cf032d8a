// A run of ranklet::run: a job whose ranks are threads of the program that asks for it.
#pragma once

#pragma GCC visibility push(default)
#include <ranklet/run.hpp>
#pragma GCC visibility pop

#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "api/testing/call_tally.hpp"
#include "api/testing/turns.hpp"
#include "base/guarded.hpp"
#include "base/other_threads.hpp"
#include "ranks/ranks.hpp"
#include "ranks/team.hpp"

namespace ranklet {

namespace detail {

// Fills a Report, and puts its text together.
struct ReportMaker {
  Report report;

  std::vector<RankResult>& ranks() noexcept { return report.ranks_; }
  std::vector<Finding>& findings() noexcept { return report.findings_; }
  int& first_failure() noexcept { return report.first_failure_; }
  // When all else is there.
  Report finish(std::chrono::nanoseconds time, bool leaks_count);
  // The same report with a line above its text.
  static Report headed(Report report, const std::string& line);
};

}  // namespace detail

namespace api {

class Run;

// What a run keeps for each rank.
struct RunMember {
  Run* run = nullptr;
  CallTally tally;
  RankResult result;                         // how it ended: under the run's lock
  std::optional<std::ostringstream> output;  // made when it is first asked for
  std::vector<std::string> leaks;
  // The rank's threads; many more where that is not known. A thread that adds one does not wait at the
  // deadlock watch at that time, so that the old number says no more than the new one.
  memmodel::Counter<> threads{1};
};

class Run {
 public:
  Run(int size, ranklet::detail::Body body, void* closure, const Options& options,
      std::shared_ptr<Arbiter> arbiter, const Config& settings);

  // On the caller's thread.
  Report go();

  // On a rank's further thread: runs function(closure). An exception that leaves it is the rank's failure.
  void run_thread(Rank& rank, void (*function)(void*), void* closure) noexcept;
  // On a rank's thread, before it leaves a function without an exception: stops all, and waits for rest.
  void stop_for(Rank& rank) noexcept;

 private:
  // How long a run that is being stopped waits before it says for whom, and ranks for each other's
  // destructors.
  static constexpr std::chrono::milliseconds patience{5000};

  RunMember& member(int rank) noexcept { return members_[static_cast<std::size_t>(rank)]; }
  JobOptions job_options(int size, std::shared_ptr<Arbiter> arbiter, const Config& settings);

  // On the ranks' threads: run_member.cpp.
  void run_rank(Rank& rank);
  void call_body(Rank& rank);
  // Calls function(context) so that all are at rest before an exception unwinds the stack.
  template <class Function>
  void run_watched(Rank& rank, Function&& function, bool takes_turns);
  void wait_to_fail(Rank& rank);
  void cancel_for(const Rank& rank);
  void note_failure(const Rank& rank);
  void note_abort(Rank* who, int code, const std::string& why);
  void note_result(Rank& rank, RankResult::End end);

  // On the caller's thread.
  bool ended(Team& team);
  void end_by_timeout();
  void warn_of_the_rest();
  Report report(std::chrono::nanoseconds time);

  Finding& add_finding(Finding::Kind kind, int rank, std::string what);

  const Options& options_;
  const ranklet::detail::Body body_;
  void* const closure_;
  std::vector<RunMember> members_;
  // Also for maker_ and the ranks' results while ranks run; then they are the caller's.
  Mutex lock_;
  ranklet::detail::ReportMaker maker_;
  bool has_failed_ RANKLET_GUARDED_BY(lock_) = false;  // before all ranks had returned
  bool warned_ = false;
  Turns unwinding_;
  OtherThreads others_;
  memmodel::Latest<pid_t> caller_{0};  // its thread, by the kernel's number, while it only waits
  Job job_;                            // goes first: it refers to all above
};

// Every handle that the rank has left, by kinds: "2 communicators were not freed".
std::vector<std::string> leaks_of(RankState& state);

// The exception that is being handled, for people: "std::runtime_error: no such file".
std::string describe_current_exception();

}  // namespace api
}  // namespace ranklet
