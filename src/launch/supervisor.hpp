// Starting, watching and ending the job's processes: one host process with all ranks, or a process for each
// rank of a program without MPI.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace ranklet::launch {

struct ProcessStart {
  std::string path;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string directory;                       // empty: stay
  std::array<int, 3> standard = {-1, -1, -1};  // descriptors to become 0, 1, 2; -1: inherit
  std::function<void()> in_child;              // called just before the program replaces the child
};

// A child that is about to become its program, and dies with this process. A script without "#!" is run by
// /bin/sh, as shells do.
class StartingProcess {
 public:
  explicit StartingProcess(const ProcessStart& start);
  StartingProcess(StartingProcess&& other) noexcept
      : name_(std::move(other.name_)), pid_(other.pid_), report_(std::exchange(other.report_, -1))
  {
  }
  StartingProcess& operator=(StartingProcess&&) = delete;
  ~StartingProcess();

  pid_t pid() const { return pid_; }
  // Returns when the program runs; throws Error if it cannot, and the child ends.
  void await();

 private:
  std::string name_;  // "./app cannot be started in /data"
  pid_t pid_;
  int report_;  // what fails is told here, which a successful exec closes
};

// Both steps in one. A process that has ended then is reaped.
pid_t start_process(const ProcessStart& start);
// The same in this process, which keeps its directory and descriptors. Returns, with errno, if it cannot be.
void execute(const ProcessStart& start);

// Watches the children of one job. From its making on, SIGINT, SIGTERM, SIGHUP and SIGQUIT come to it: it
// passes them on, gives the children two seconds, then kills them; a second signal kills at once. SIGUSR1 and
// SIGUSR2 are passed on. Not thread-safe.
class Supervisor {
 public:
  using Clock = std::chrono::steady_clock;

  // timeout in seconds, 0: none. last_wish: a signal that asks the children to say what they are doing,
  // before the timeout ends them; 0: none.
  explicit Supervisor(double timeout, int last_wish = 0);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  void add_child(pid_t pid) { running_.push_back(pid); }
  // The same for a host of ranks. Where there are some, SIGUSR1, SIGUSR2 and a last wish, which is SIGUSR1,
  // are for them alone.
  void add_host(pid_t pid);

  // Calls action(revents) when the descriptor has one of the poll events; stops watching it when that is
  // false. A child's output is still read when the children have ended, up to what is there.
  enum class FileKind { child_output, other };
  void add_file(int descriptor, short events, FileKind kind, std::function<bool(short)> action);
  void remove_file(int descriptor) { files_.erase(descriptor); }

  // Ends all children: this signal now, SIGKILL two seconds later.
  void end_all(int signal);

  // Returns when all children have ended and what they wrote is read. status is waitpid's.
  void run(const std::function<void(pid_t pid, int status)>& on_exit);

  // The signal from outside that ended the job, 0 if none.
  int interrupted_by() const { return interrupted_by_; }
  bool timed_out() const { return timed_out_; }

 private:
  struct WatchedFile {
    short events;
    FileKind kind;
    std::function<bool(short)> action;
  };

  void take_signals(const std::function<void(pid_t, int)>& on_exit);
  void reap(const std::function<void(pid_t, int)>& on_exit);
  void act_on_deadlines();
  int milliseconds_to_deadline() const;
  bool poll_files(int wait_milliseconds, const std::function<void(pid_t, int)>& on_exit);

  void tell_state_signal(int signal);

  std::vector<pid_t> running_;
  std::vector<pid_t> hosts_;  // those of them that are hosts
  std::map<int, WatchedFile> files_;
  int signals_ = -1;  // signalfd
  std::optional<Clock::time_point> timeout_at_;
  std::optional<Clock::time_point> end_at_;  // after the last wish
  std::optional<Clock::time_point> kill_at_;
  int last_wish_;
  int interrupted_by_ = 0;
  bool timed_out_ = false;
};

// The exit code of a shell for waitpid's status: the code, or 128 + the signal.
int exit_code_of(int status);

}  // namespace ranklet::launch
