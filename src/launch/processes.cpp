#include "launch/processes.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <deque>
#include <memory>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handover/packet.hpp"
#include "launch/desk.hpp"
#include "launch/input_pipes.hpp"
#include "launch/output_rules.hpp"
#include "launch/supervisor.hpp"
#include "machine/placement.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

constexpr int all_ranks = -2;

class ProcessJob {
 public:
  ProcessJob(const JobDescription& job, const Config& config)
      : job_(job),
        config_(config),
        output_(output_settings(config, job.size(), job.world)),
        supervisor_(job.control < 0 ? config.timeout : 0),
        receiver_(input_receiver(config, job.size())),
        desk_(
            job, config, supervisor_, [this](int rank, const std::string& clause) { refused(rank, clause); },
            [this] { end_with(1); })
  {
    if (receiver_ == all_ranks) pipes_ = std::make_unique<InputPipes>(supervisor_, job.size());
    // Nothing is known about what these processes do, so they are pinned only on request.
    if (config.bind_to != "auto" || config.map_by != "auto" || config.report_bindings)
      placement_ = std::make_unique<Placement>(Topology::machine(), job.size(), config);
    if (placement_ && config.report_bindings) output_.note(placement_->report());
  }

  int run()
  {
    try {
      start_all();
    } catch (...) {
      supervisor_.end_all(SIGKILL);
      throw;
    }
    supervisor_.run([this](pid_t pid, int status) {
      if (desk_.is_host(pid))
        host_ended(pid, status);
      else
        ended(pid, status);
    });
    output_.flush();
    for (const std::string& line : output_.losses()) {
      output_.note("mpiexec: " + line + "\n");
      if (exit_code_ == 0) exit_code_ = 1;
    }
    if (supervisor_.timed_out()) {
      output_.note("mpiexec: the job was ended after its timeout of " + number_text(config_.timeout) +
                   " s\n");
      return 124;
    }
    return supervisor_.interrupted_by() != 0 ? 128 + supervisor_.interrupted_by() : exit_code_;
  }

 private:
  static std::string number_text(double value)
  {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }

  // Several are on the way at once: a child needs a millisecond to become its program.
  void start_all()
  {
    constexpr int most_at_once = 16;
    std::deque<StartingProcess> starting;
    for (int rank = 0; rank < job_.size(); ++rank) {
      starting.push_back(start(rank));
      if (rank + 1 < job_.size() && static_cast<int>(starting.size()) < most_at_once) continue;
      for (StartingProcess& process : starting) process.await();
      starting.clear();
    }
  }

  StartingProcess start(int rank)
  {
    const Program& program = job_.programs[static_cast<std::size_t>(job_.program_of(rank))];
    ProcessStart start;
    start.path = program.path;
    start.arguments = program.arguments;
    start.directory = program.directory;
    start.environment = rank_environment(job_, rank);
    // For MPI programs that the process may start: they become ranks.
    start.environment.push_back("RANKLET_UNDER=" + std::to_string(job_.size()));
    start.environment.push_back(std::string(handover::address_variable) + "=" + desk_.address());
    if (placement_) start.in_child = [this, rank] { placement_->bind_this_thread(rank); };

    std::vector<int> to_close;
    if (receiver_ == all_ranks)
      start.standard[0] = pipes_->add_reader();
    else if (rank != receiver_)
      start.standard[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (start.standard[0] >= 0) to_close.push_back(start.standard[0]);
    // A single process with plain output may as well have the terminal.
    const bool keeps_terminal = job_.size() == 1 && !rewrites_output();
    if (!keeps_terminal) {
      for (const loader::Stream stream : {loader::Stream::out, loader::Stream::err}) {
        const Pipe pipe;
        start.standard[1 + static_cast<std::size_t>(stream)] = pipe.write_end;
        to_close.push_back(pipe.write_end);
        ::fcntl(pipe.read_end, F_SETFL, O_NONBLOCK);
        supervisor_.add_file(pipe.read_end, POLLIN, Supervisor::FileKind::child_output,
                             [this, rank, stream, descriptor = pipe.read_end](short) {
                               return read_output(rank, stream, descriptor);
                             });
      }
    }
    StartingProcess process(start);
    supervisor_.add_child(process.pid());
    pids_.push_back(process.pid());
    for (const int descriptor : to_close) ::close(descriptor);
    return process;
  }

  bool rewrites_output() const
  {
    return config_.tag_output || config_.timestamp_output || config_.merge_stderr ||
           !config_.prepend_pattern.empty() || !config_.output_filename.empty() ||
           !config_.outfile_pattern.empty() || !config_.errfile_pattern.empty();
  }

  bool read_output(int rank, loader::Stream stream, int descriptor)
  {
    char bytes[65536];
    const ssize_t got = ::read(descriptor, bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    loader::LineAssembler& assembler = output_.assembler(rank, stream);
    // Nobody reads our output any more: closing the pipe tells the process, as a shell's pipe would.
    if (got > 0 && assembler.append(bytes, static_cast<std::size_t>(got)) >= 0) return true;
    assembler.flush();
    ::close(descriptor);
    return false;
  }

  void ended(pid_t pid, int status)
  {
    int rank = 0;
    while (pids_[static_cast<std::size_t>(rank)] != pid) ++rank;
    const int code = rank == refused_ ? 1 : exit_code_of(status);
    // Failures after the first one are its consequences.
    desk_.rank_ended(rank, ending_ && rank != refused_ ? 0 : code);
    if (job_.control >= 0) return;
    if (job_.print_all_exit_codes)
      output_.note("mpiexec: " + rank_text(job_, rank) + " " + exit_text(code) + "\n");
    if (code == 0 || ending_) return;
    if (supervisor_.interrupted_by() == 0 && !supervisor_.timed_out()) {
      output_.note("mpiexec: " + rank_text(job_, rank) + " " +
                   (WIFSIGNALED(status) ? signal_text(WTERMSIG(status)) : exit_text(code)) + "\n");
    }
    end_with(code);
  }

  // Ranks that were handed over run there; it has reported what went wrong, unless it had no chance.
  void host_ended(pid_t pid, int status)
  {
    const int code = exit_code_of(status);
    if (code != 0 && !ending_) {
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !supervisor_.timed_out() &&
          supervisor_.interrupted_by() == 0)
        output_.note(
            "mpiexec: all ranks were killed by signal 9 (Killed): by the system if memory ran out, or by a "
            "user\n");
      end_with(code);
    }
    desk_.end_stand_ins(pid, status);
  }

  void refused(int rank, const std::string& clause)
  {
    if (ending_) return;
    output_.note("mpiexec: " + rank_text(job_, rank, job_.world) + " " + clause + "\n");
    refused_ = rank;
    end_with(1);
  }

  void end_with(int code)
  {
    ending_ = true;
    exit_code_ = code;
    supervisor_.end_all(SIGTERM);
  }

  const JobDescription& job_;
  const Config& config_;
  loader::JobOutput output_;
  Supervisor supervisor_;
  int receiver_;
  Desk desk_;
  std::unique_ptr<InputPipes> pipes_;
  std::unique_ptr<Placement> placement_;
  std::vector<pid_t> pids_;
  int exit_code_ = 0;
  bool ending_ = false;
  int refused_ = -1;  // its rank
};

}  // namespace

int run_processes(const JobDescription& job, const Config& config)
{
  return ProcessJob(job, config).run();
}

}  // namespace ranklet::launch
