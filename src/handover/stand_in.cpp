// A program that something else has started under mpiexec (a script, env, numactl …) becomes a rank: before
// its main it hands itself over to the job's host, which runs it. The process stays and stands for the
// rank: it passes signals on and ends as the rank does.
//
// This file is part of the MPI library alone.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/config.hpp"
#include "base/sanitizer_runtime.hpp"
#include "base/signal_mask.hpp"
#include "handover/bytes.hpp"
#include "handover/packet.hpp"
#include "handover/program_state.hpp"
#include "handover/singleton.hpp"

namespace ranklet::handover {
namespace {

constexpr int code_of_failure = 1;

// The process that traces this one: its name, empty if there is none.
std::string tracer()
{
  std::ifstream status("/proc/self/status");
  std::string word;
  int process = 0;
  while (status >> word && word != "TracerPid:") {
  }
  if (!(status >> process) || process == 0) return "";
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/comm") >> std::ws, name);
  return name.empty() ? "a tracer" : name;
}

// What keeps the process from becoming a rank, as a clause about the rank. Empty: nothing.
std::string obstacle()
{
  if (runs_under_valgrind())
    return "runs under valgrind, which cannot follow it into the job: put valgrind --trace-children=yes in "
           "front of mpiexec (docs/debugging.md)";
  const std::string name = tracer();
  if (name.empty()) return "";
  return "runs under " + name + ", which cannot follow it into the job: put " + name +
         " in front of mpiexec, as in gdb --args mpiexec -n 4 ./app (docs/debugging.md)";
}

class StandIn {
 public:
  StandIn(int socket, int rank, ProgramState state)
      : socket_(socket), rank_(rank), launcher_(process_behind(socket)), state_(std::move(state))
  {
  }

  // Returns if the process shall go on.
  void run()
  {
    const SignalsBlocked blocked;
    const int signals = ::signalfd(-1, &blocked.set(), SFD_CLOEXEC | SFD_NONBLOCK);
    const std::string reason = obstacle();
    if (reason.empty())
      give_program();
    else
      send(socket_, {.kind = Packet::Kind::unable, .rank = rank_, .text = reason});
    pollfd watched[2] = {{socket_, POLLIN, 0}, {signals, POLLIN, 0}};
    while (!alone_) {
      if (::poll(watched, 2, -1) <= 0) continue;
      if (watched[0].revents != 0) take_packet();
      signalfd_siginfo info{};
      while (!alone_ && ::read(signals, &info, sizeof info) == sizeof info) take_signal(info);
    }
    ::close(signals);
    ::close(socket_);
  }

 private:
  void give_program()
  {
    send(socket_, {.kind = Packet::Kind::hello, .rank = rank_, .text = state_.path});
    Packet packet{.kind = Packet::Kind::program, .rank = rank_};
    packet.descriptors = {write_to_memory(state_.bytes(), "ranklet-program"),
                          ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    // A directory that is gone.
    if (packet.descriptors[1] < 0) packet.descriptors[1] = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const auto own = packet.descriptors;
    for (const int number : state_.numbers) {
      packet.descriptors.push_back(number);
      if (packet.descriptors.size() < most_descriptors) continue;
      send(socket_, packet);
      packet.descriptors.clear();
    }
    if (!packet.descriptors.empty()) send(socket_, packet);
    for (const int descriptor : own) ::close(descriptor);
  }

  void take_packet()
  {
    const auto [received, packet] = receive(socket_, false);
    if (received == Received::nothing) return;
    if (received == Received::end) ::_exit(code_of_failure);
    switch (packet.kind) {
      case Packet::Kind::started:
        host_ = packet.value;
        let_go();
        break;
      case Packet::Kind::exited:
        ::_exit(packet.value);
      case Packet::Kind::killed:
        die_by(packet.value);
      case Packet::Kind::alone:
        alone_ = true;
        break;
      default:  // mpiexec has said why
        ::_exit(code_of_failure);
    }
  }

  // The rank has them now: the reader of a pipe sees its end when the rank closes it.
  void let_go() const
  {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int number : state_.numbers) {
      if (number > 2)
        ::close(number);
      else
        ::dup2(nothing, number);
    }
    ::close(nothing);
  }

  void take_signal(const signalfd_siginfo& info) const
  {
    const int signal = static_cast<int>(info.ssi_signo);
    // What the terminal and mpiexec send, the host gets as well.
    const bool is_known = info.ssi_code > 0 || static_cast<int>(info.ssi_pid) == launcher_;
    switch (signal) {
      case SIGCHLD:
      case SIGWINCH:
      case SIGURG:
        return;
      case SIGTSTP:
      case SIGTTIN:
      case SIGTTOU:
        // A thread cannot stop alone.
        if (!is_known && host_ > 0) ::kill(host_, SIGSTOP);
        ::raise(SIGSTOP);
        return;
      case SIGCONT:
        if (!is_known && host_ > 0) ::kill(host_, SIGCONT);
        return;
      default:
        if (!is_known) send(socket_, {.kind = Packet::Kind::signal, .rank = rank_, .value = signal});
    }
  }

  [[noreturn]] static void die_by(int signal)
  {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);  // there is nothing to see
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::_exit(128 + signal);
  }

  const int socket_;
  const int rank_;
  const int launcher_;
  int host_ = 0;
  bool alone_ = false;
  const ProgramState state_;
};

// glibc gives it main's arguments.
[[gnu::constructor]] void hand_over(int argument_count, char** arguments, char** environment)
{
  const char* const address = environment_variable(address_variable);
  const char* const rank = environment_variable("RANKLET_RANK");
  if (address == nullptr || *address == '\0' || rank == nullptr) {
    if (obstacle().empty()) host_if_needed(own_path(), arguments, environment);
    return;
  }
  ProgramState state = ProgramState::of_this_process(argument_count, arguments, environment);
  if (const int socket = connect(address); socket >= 0) return StandIn(socket, std::atoi(rank), state).run();
  // A world of one rank is not what was meant.
  std::fprintf(stderr,
               "ranklet: %s cannot become rank %s, as mpiexec has gone or is in another network namespace "
               "(without the variable %s it would run alone)\n",
               state.path.c_str(), rank, address_variable);
  ::_exit(code_of_failure);
}

}  // namespace
}  // namespace ranklet::handover
