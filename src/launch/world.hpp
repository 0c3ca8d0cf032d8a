// The ranks of one job in the host: their programs, threads and ends. mpiexec starts the first world of a
// host; MPI_Comm_spawn starts others, and other mpiexec do (guests.hpp).
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pthread.h>

#include "base/guarded.hpp"
#include "base/sleeping_threads.hpp"
#include "launch/arrivals.hpp"
#include "launch/job_description.hpp"
#include "launch/programs.hpp"
#include "launch/rank_ends.hpp"
#include "launch/rank_threads.hpp"
#include "libc/crash_report.hpp"
#include "libc/libc_state.hpp"
#include "loader/loader.hpp"
#include "machine/placement.hpp"
#include "ranks/hosting.hpp"

namespace ranklet::launch {

class World;

// What all worlds of a host have in common.
struct HostParts {
  Programs& programs;
  loader::JobOutput& output;
  loader::JobInput& input;
  loader::CrashReports& crash_reports;
  const std::vector<unsigned long> own_cpus;  // as sched_setaffinity(2) takes them
  // What the usage checks find.
  std::function<void(const check::Finding&)> on_finding;
  // Ends the process, with what is to be said: why, and about which rank, -1: none. Does not return.
  std::function<void(const World& world, int rank, int code, std::string_view why)> end;
  StartPrograms start_programs;
  // The last rank of the world has ended; on its thread, or on that which takes ranks in.
  std::function<void(World& world)> over;
};

// Where a world is among those of its host.
struct WorldPlace {
  int number = 1;  // 1: of the host's own mpiexec
  int guest = 0;   // whose job has brought it, by the number of Guests; 0: the host's own
  int seat = 0;    // of its rank 0 in the host's input and output
  // How it comes to the universe of the first world: by a rank of another one, or beside the first.
  const JobToStart* started_by = nullptr;
  HostedJob* beside = nullptr;
  // A guest's standard input, which the world closes in the end, and umask; -1: the host's.
  int input = -1;
  int mask = -1;
  pid_t starter = -1;  // of its processes, if the description has a control (starter.hpp)
};

class World final : public loader::Host {
 public:
  // settings: of its mpiexec. Throws Error.
  World(JobDescription description, const HostParts& parts, const Config& settings, const WorldPlace& place);
  // Gives back all that it has, of a world that is past.
  ~World() override;

  // Starts its ranks, or begins to take them in.
  void start();
  // Returns when no rank runs and none will come.
  void wait_for_all();
  bool is_over() const;
  // Of a world that is over: its main threads have ended, but for those that others may still need.
  void await_threads();
  // All threads of its ranks have ended, and no rank of another world can reach one of them. Never of the
  // first world.
  bool is_past() const;

  int size() const noexcept { return ranks_; }
  int number() const noexcept { return number_; }
  int guest() const noexcept { return guest_; }
  const Config& settings() const noexcept { return settings_; }
  int seat() const noexcept { return seat_; }
  // The writer of a guest's standard input sees that nobody reads it any more.
  void end_input() noexcept;
  HostedJob& job() noexcept { return *job_; }
  const Placement& placement() const noexcept { return placement_; }
  // See Placement. Not at once with another call of one of them.
  void give_up_cpus() { placement_.give_up_cpus(); }
  void look_for_cpus()
  {
    if (placement_.find_own_cpus()) job_->wait_by(placement_.wait_policy());
  }
  // For --report-bindings, if some rank interprets.
  std::string thread_counts_text() const;

  // "rank 2 of world 3 (app)"
  std::string text_of(int rank) const { return rank_text(description_, rank, number_); }
  // How it has ended: the lines for people, whether ranks never came, and its exit code.
  std::string last_words() const;
  bool misses_ranks() const { return arrivals_ && !arrivals_->missing().empty(); }
  int code() const { return ends_.job_code(); }

  // A clause about the rank that says more than `why`, if it never came; else `why`.
  std::string_view reason(int rank, std::string_view why) const;
  void await_rest(int except, const TimeToRest& time) const { threads_.await_rest(except, time); }
  // Of the ranks that have begun.
  std::vector<std::shared_ptr<loader::LibcState>> states() const;
  // Gives a signal to the ranks that run. Counts them in `running`; false if it is to end one of them.
  bool all_take(int signal, int& running);

  // --- loader::Host (world_events.cpp)

  void image_ready(loader::ProcessState& process) override;
  void thread_starts(loader::ProcessState& process) override;
  void thread_ends(loader::ProcessState& process) override;
  void process_exits(loader::ProcessState& process, int code) override;
  void exited_on_other_thread(loader::ProcessState& process, int code) override;
  // _exit: the rank ends without its exit handlers. Its other threads would have died in a process of their
  // own.
  [[noreturn]] void end_job(loader::ProcessState& process, int code) override;

 private:
  // What a rank runs.
  struct RankRun {
    loader::Program* program;
    std::vector<std::string> arguments, environment;
    std::string directory;             // absolute
    std::shared_ptr<Arrival> arrival;  // null: it is in the description
  };
  struct RankStart;
  // Of a rank of a later world: what is left of it until the world is past.
  struct Thread {
    pthread_t thread{};
    void* stack = nullptr;
    std::size_t stack_bytes = 0;
    std::unique_ptr<loader::ProcessState> process;
    std::unique_ptr<loader::Image> image;  // goes before the process
    // What its main thread does; with mutex_. `ends`: nothing but its end is left; `stays`: others may still
    // use what it has.
    enum class State { runs, stays, ends } state = State::ends;
  };

  HostedJobOptions job_options(const WorldPlace& place);
  // Others than the first end before the host does, and give back what they had.
  bool is_later() const noexcept { return number_ > 1; }
  std::shared_ptr<loader::LibcState> state_of(int rank) const;
  const RankRun& run_of(int rank) const { return *runs_[static_cast<std::size_t>(rank)]; }
  RankRun run_of_description(int rank) const;
  bool directories_differ() const;
  int live_threads(int rank) const;
  int sleeping_threads(int rank) const;

  // Ranks that come from processes (world_processes.cpp).
  void expect_ranks();
  void rank_comes(int rank, std::shared_ptr<Arrival> arrival);
  void forget_program(int rank);
  void await_former_program(int rank);
  void take_over(const Arrival& arrival, loader::ProcessState& process);

  // Threads (world_threads.cpp).
  void start_thread(int rank, RankRun run, std::size_t stack_bytes);
  static void* thread_main(void* argument);
  int run_rank(int rank);
  std::unique_ptr<loader::Image> make_image(int rank, std::unique_ptr<loader::ProcessState>& process);
  void end_thread(int rank);
  void note_thread(int rank, Thread::State state);
  void join_threads();
  static void join_thread(Thread& thread);
  void rank_ended(int rank, int code);
  void process_of_rank_ended(int rank, int code);

  [[noreturn]] void abort(int rank, int code, std::string_view why);
  [[noreturn]] void cannot_run(int rank, const char* why);
  [[noreturn]] void no_memory(int rank);

  const HostParts& parts_;
  const Config settings_;
  const JobDescription description_;
  std::vector<loader::Program*> programs_;  // by number in the description; none of ranks that come later
  const int number_;
  const int shown_number_;  // 1 also to people who have started it by mpiexec
  const int guest_;
  const int seat_;
  const int ranks_;
  const int mask_;
  const int own_descriptor_;
  const pid_t starter_;
  std::optional<loader::JobInput> own_input_;
  Placement placement_;
  const bool shares_cores_ = !placement_.own_cpus();  // at first: the placement may change
  RankEnds ends_;
  RankThreads threads_;
  mutable SleepingThreads sleeping_threads_;
  mutable Mutex mutex_;
  std::condition_variable thread_noted_;
  // By rank; empty until its image is ready.
  std::vector<std::shared_ptr<loader::LibcState>> states_ RANKLET_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<const RankRun>> runs_;  // by rank; empty until it begins
  std::vector<Thread> own_threads_;                   // by rank; of a later world
  std::optional<Arrivals> arrivals_;                  // of ranks that come from processes
  std::unique_ptr<HostedJob> job_;
};

}  // namespace ranklet::launch
