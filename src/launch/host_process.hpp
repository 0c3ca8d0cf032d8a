// The process in which ranks run: what all its worlds have in common, and its end.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.hpp"
#include "launch/finding_records.hpp"
#include "launch/guests.hpp"
#include "launch/job_description.hpp"
#include "launch/programs.hpp"
#include "launch/worlds.hpp"
#include "libc/ending_signals.hpp"
#include "ranks/findings_report.hpp"

namespace ranklet::launch {

class HostProcess {
 public:
  // listener: where jobs of other mpiexec come (UniverseDoor); -1: none do.
  HostProcess(JobDescription description, Programs& programs, int listener);
  // Runs the job, and those that it starts, and returns the exit code.
  int run();

 private:
  // Of ranks that come from processes, mpiexec or the starter has the streams.
  static std::vector<loader::RankOutputSettings> outputs_of(const JobDescription& job, const Config& settings,
                                                            int world);

  // --- worlds (host_worlds.cpp)

  // Only ranks that run start others.
  void await_worlds();
  // On the thread of the rank that asks.
  void start_programs(const JobToStart& job);
  void start_child(const JobToStart& job);
  // here: where its files of output are, if their names say nothing else.
  void start_world(JobDescription description, const Config& settings, WorldPlace place,
                   const std::string& here);
  void take_in_guests();
  void start_guest(int guest, GuestJob job);
  void signal_guest(int guest, int signal);
  // On the thread of its last rank.
  void note_over(World& world);
  // Gives back what past worlds had, when another one starts.
  void forget_past_worlds();
  void forget_streams(int guest);

  // --- reports and the end (host_process.cpp)

  std::string state_text();
  void note_finding(const check::Finding& finding);
  // Ends the process; of threads that come here together only one does. There may be no memory left, also
  // after the last has been given back, as other ranks take some.
  [[noreturn]] void end(const World* world, int rank, int code, std::string_view why);
  static std::string name_of(const World* world, int rank);
  void say_why(const World* world, int rank, int code, std::string_view why);
  // What the ranks have printed so far, buffers included, from any thread. The rank `except` of the world,
  // which may be null, is just printing.
  void write_out_everything(const World* mine, int except);
  // Gives a signal from outside to the ranks that run; false if it is to end one of them.
  static bool all_take(const Worlds::List& worlds, int signal);
  // The world of a rank; null if there is none.
  static const World* world_of(const loader::ProcessState* process);
  // Called on a thread that belongs to nobody; the process ends by the signal when it returns.
  void end_by_signal(const loader::SignalCause& cause);
  // The runtime then ends the process, with a code of its own.
  static void end_by_sanitizer();

  static inline HostProcess* the_process = nullptr;  // for the sanitizer

  loader::JobOutput output_;
  loader::JobInput input_;
  loader::CrashReports crash_reports_;
  std::optional<check::FindingsReport> findings_report_;
  std::optional<FindingRecords> finding_records_;  // for mpiexec --check=all, which tells
  const HostParts parts_;
  const bool reports_bindings_;
  Worlds worlds_;
  const bool is_singleton_;
  const std::shared_ptr<World> first_;  // of mpiexec
  const int listener_;                  // where jobs of other mpiexec come; -1: nowhere
  std::optional<Guests> guests_;        // there
  Mutex mutex_;
  int wrong_ RANKLET_GUARDED_BY(mutex_) = 0;               // findings that are errors or leaks
  std::map<int, int> streams_ RANKLET_GUARDED_BY(mutex_);  // of the guests in output_
  std::mutex ending_;                                      // taken once, by the thread that ends the process
  std::optional<loader::EndingSignals> ending_signals_;
  std::unique_ptr<char[]> last_memory_{
      new char[std::size_t{1} << 20]};  // for what is to be said when all is used
};

}  // namespace ranklet::launch
