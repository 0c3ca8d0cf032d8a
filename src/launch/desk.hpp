// mpiexec's part when programs of a script hand themselves over (src/handover): it brings each to the host of
// the rank's next job, and starts the hosts.
//
// A script that runs two MPI programs one after the other makes two jobs: the first program of every rank
// that calls MPI_Init is a rank of the first, the second of the second. The process that hands over is told
// how the rank has ended, or how the host has. Programs that ranks have started run one MPI program each:
// their host is there before them.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/config.hpp"
#include "handover/packet.hpp"
#include "launch/job_description.hpp"
#include "launch/supervisor.hpp"

namespace ranklet::launch {

// Not thread-safe; works while the supervisor runs.
class Desk {
 public:
  // on_refusal: a rank's program cannot become part of a job; the clause says why. on_host_end: of a job that
  // a rank has started (JobDescription::control): its host is gone.
  Desk(const JobDescription& job, const Config& config, Supervisor& supervisor,
       std::function<void(int rank, const std::string& clause)> on_refusal,
       std::function<void()> on_host_end);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // For RANKLET_HANDOVER.
  const std::string& address() const { return address_; }
  // The process of the rank has ended, with this code: it hands nothing over any more.
  void rank_ended(int rank, int code);

  bool is_host(pid_t pid) const;
  // Ends the processes that stand for the ranks of a host that has ended with this status (waitpid).
  void end_stand_ins(pid_t host, int status);

 private:
  struct JobHost {
    pid_t pid;  // 0: not ours
    int control;
    bool running = true;
    std::vector<Attendance> attendance;  // by rank
    std::vector<int> stand_ins = {};     // connections
  };

  bool take_caller();
  bool take_hello(int connection);
  bool refuse(int connection, int rank, const std::string& clause);
  const std::string& clause_about(const std::string& program);
  // Null if there is none, nor will be.
  JobHost* host_for(int rank, const std::string& program);
  JobHost& start_host(const std::string& program);
  JobHost& add_host(pid_t pid, int control);
  static void end_stand_ins(JobHost& host, const handover::Packet& end);
  bool take_from(JobHost& host);

  const JobDescription& job_;
  const Config& config_;
  Supervisor& supervisor_;
  const std::function<void(int, const std::string&)> on_refusal_;
  const std::function<void()> on_host_end_;
  int listener_ = -1;
  std::string address_;
  std::list<JobHost> hosts_;    // in the order of the jobs
  std::vector<char> gone_;      // by rank
  std::set<std::string> late_;  // programs that load the library after their start and may go on alone
  std::map<std::string, std::string> clauses_;  // by program: why it cannot be a rank; empty: it can
};

}  // namespace ranklet::launch
