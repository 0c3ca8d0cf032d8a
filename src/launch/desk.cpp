#include "launch/desk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handover/packet.hpp"
#include "launch/host_start.hpp"
#include "launch/interpreters.hpp"
#include "loader/loader.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

using handover::Packet;
using handover::Received;

Desk::Desk(const JobDescription& job, const Config& config, Supervisor& supervisor,
           std::function<void(int, const std::string&)> on_refusal, std::function<void()> on_host_end)
    : job_(job),
      config_(config),
      supervisor_(supervisor),
      on_refusal_(std::move(on_refusal)),
      on_host_end_(std::move(on_host_end)),
      gone_(static_cast<std::size_t>(job.size()))
{
  std::tie(listener_, address_) = handover::listen();
  supervisor_.add_file(listener_, POLLIN, Supervisor::FileKind::other,
                       [this](short) { return take_caller(); });
  if (job_.control >= 0) add_host(0, job_.control);
}

Desk::~Desk()
{
  ::close(listener_);
}

bool Desk::take_caller()
{
  for (int connection; (connection = handover::accept(listener_)) >= 0;)
    supervisor_.add_file(connection, POLLIN, Supervisor::FileKind::other,
                         [this, connection](short) { return take_hello(connection); });
  return true;
}

// Up to the packet that decides; what follows is for the host.
bool Desk::take_hello(int connection)
{
  const auto [received, packet] = handover::receive(connection, false);
  if (received == Received::nothing) return true;
  const int rank = packet.rank;
  if (received == Received::end || rank < 0 || rank >= job_.size()) {
    ::close(connection);
    return false;
  }
  if (packet.kind == Packet::Kind::unable) return refuse(connection, rank, packet.text);
  if (packet.kind != Packet::Kind::hello) {
    // Of one that was answered already. It would not see the answer if this were left unread.
    for (const int descriptor : packet.descriptors) ::close(descriptor);
    return true;
  }
  if (const std::string& clause = clause_about(packet.text); !clause.empty())
    return refuse(connection, rank, clause);
  if (late_.contains(packet.text)) return handover::send(connection, {.kind = Packet::Kind::alone}, false);
  JobHost* const host = host_for(rank, packet.text);
  if (host == nullptr)
    return refuse(connection, rank,
                  "runs " + base_name(packet.text) +
                      ", a second MPI program: MPI_Comm_spawn starts one in each process");
  host->attendance[static_cast<std::size_t>(rank)] = Attendance::runs;
  host->stand_ins.push_back(connection);
  handover::send(host->control, {.kind = Packet::Kind::arrival, .rank = rank, .descriptors = {connection}});
  return false;
}

bool Desk::refuse(int connection, int rank, const std::string& clause)
{
  on_refusal_(rank, clause);
  handover::send(connection, {.kind = Packet::Kind::refused}, false);
  return true;
}

const std::string& Desk::clause_about(const std::string& program)
{
  const auto [place, is_new] = clauses_.try_emplace(program);
  if (!is_new) return place->second;
  try {
    if (loader::is_mpi_program(program)) return place->second;
    if (job_.size() == 1)
      late_.insert(program);
    else
      place->second =
          "runs " + base_name(program) +
          ", which loads the MPI library only after its start, when it can become no rank any more: " +
          remedy_for_late_program(program, config_.interpreters);
  } catch (const Error& error) {
    place->second = "cannot run: " + error.message();
  }
  return place->second;
}

Desk::JobHost* Desk::host_for(int rank, const std::string& program)
{
  for (JobHost& host : hosts_) {
    while (host.running && take_from(host)) {
    }
    if (host.running && host.attendance[static_cast<std::size_t>(rank)] == Attendance::expected) return &host;
  }
  return job_.control < 0 ? &start_host(program) : nullptr;
}

Desk::JobHost& Desk::start_host(const std::string& program)
{
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    fail(ErrorClass::no_mem, "no socket: %s", std::strerror(errno));
  JobDescription job = job_;
  job.control = ends[1];
  job.first_program = program;
  const int description = write_description(job);
  ProcessStart start = host_start(job, config_, description);
  start.standard[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  start.in_child = [prepare = std::move(start.in_child), control = ends[1]] {
    if (prepare) prepare();
    ::fcntl(control, F_SETFD, 0);
  };
  const pid_t pid = start_process(start);
  for (const int descriptor : {description, ends[1], start.standard[0]}) ::close(descriptor);
  supervisor_.add_host(pid);
  JobHost& host = add_host(pid, ends[0]);
  for (int rank = 0; rank < job_.size(); ++rank)
    if (gone_[static_cast<std::size_t>(rank)] != 0)
      handover::send(host.control, {.kind = Packet::Kind::gone, .rank = rank});
  return host;
}

Desk::JobHost& Desk::add_host(pid_t pid, int control)
{
  JobHost& host = hosts_.emplace_back(
      JobHost{pid, control, true,
              std::vector<Attendance>(static_cast<std::size_t>(job_.size()), Attendance::expected)});
  supervisor_.add_file(control, POLLIN, Supervisor::FileKind::other, [this, &host](short events) {
    while (take_from(host)) {
    }
    const bool is_gone = (events & POLLHUP) != 0;
    if (is_gone && host.pid == 0 && host.running) {
      end_stand_ins(host, {.kind = Packet::Kind::exited, .value = 1});
      on_host_end_();
    }
    return host.running && !is_gone;
  });
  return host;
}

// False if there is nothing more at the moment.
bool Desk::take_from(JobHost& host)
{
  const auto [received, packet] = handover::receive(host.control, false);
  if (received != Received::packet) return false;
  if (packet.rank >= 0 && packet.rank < job_.size())
    host.attendance[static_cast<std::size_t>(packet.rank)] =
        packet.kind == Packet::Kind::used ? Attendance::used : Attendance::expected;
  return true;
}

void Desk::rank_ended(int rank, int code)
{
  gone_[static_cast<std::size_t>(rank)] = 1;
  for (JobHost& host : hosts_) {
    if (!host.running) continue;
    // Packets that are unread when this process ends would take the answer with them.
    while (take_from(host)) {
    }
    handover::send(host.control, {.kind = Packet::Kind::gone, .rank = rank, .value = code});
  }
}

bool Desk::is_host(pid_t pid) const
{
  return std::ranges::any_of(hosts_, [pid](const JobHost& host) { return host.pid == pid; });
}

void Desk::end_stand_ins(pid_t pid, int status)
{
  for (JobHost& host : hosts_) {
    if (host.pid != pid || !host.running) continue;
    end_stand_ins(host, WIFSIGNALED(status)
                            ? Packet{.kind = Packet::Kind::killed, .value = WTERMSIG(status)}
                            : Packet{.kind = Packet::Kind::exited, .value = WEXITSTATUS(status)});
    supervisor_.remove_file(host.control);
    ::close(host.control);
  }
}

void Desk::end_stand_ins(JobHost& host, const Packet& end)
{
  host.running = false;
  for (const int connection : host.stand_ins) {
    handover::send(connection, end, false);
    ::close(connection);
  }
  host.stand_ins.clear();
}

}  // namespace ranklet::launch
