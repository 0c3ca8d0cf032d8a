#include "launch/guest.hpp"

#include <csignal>
#include <cstdio>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signal_mask.hpp"
#include "handover/bytes.hpp"
#include "handover/packet.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

using handover::Packet;
using handover::Received;

namespace {

constexpr int code_of_failure = 1;

std::vector<std::string> own_settings()
{
  std::vector<std::string> settings;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("RANKLET_")) settings.emplace_back(*entry);
  return settings;
}

void send_job(int description, int host)
{
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ByteWriter more;
  more.number(mask);
  more.texts(own_settings());
  const int rest = write_to_memory(more.bytes(), "ranklet-guest");
  handover::send(host, {.kind = Packet::Kind::job, .descriptors = {description, rest, 0, 1, 2}});
  ::close(rest);
}

void show(const std::string& text)
{
  std::fputs(text.c_str(), stderr);
}

// What the host says, until the job is over.
class Conversation {
 public:
  explicit Conversation(int host) : host_(host) {}

  bool is_over() const { return over_; }
  bool has_started() const { return started_; }
  std::optional<int> code() const { return code_; }

  void take_packet()
  {
    const auto [received, packet] = handover::receive(host_, false);
    if (received == Received::nothing) return;
    if (received == Received::end) {
      if (started_)
        end("mpiexec: the process that ran the ranks, of another mpiexec of the universe, has gone\n");
      over_ = true;
      return;
    }
    switch (packet.kind) {
      case Packet::Kind::started:
        started_ = true;
        return;
      case Packet::Kind::note:
        return show(packet.text);
      case Packet::Kind::refused:
        return end("mpiexec: " + packet.text + "\n");
      default:
        return end(packet.text, packet.value);
    }
  }

 private:
  void end(const std::string& text, int code = code_of_failure)
  {
    show(text);
    code_ = code;
    over_ = true;
  }

  const int host_;
  bool started_ = false;
  bool over_ = false;
  std::optional<int> code_;
};

void pass_on(const signalfd_siginfo& info, int host, bool started)
{
  const int signal = static_cast<int>(info.ssi_signo);
  switch (signal) {
    case SIGCHLD:
    case SIGWINCH:
    case SIGURG:
    case SIGCONT:
      return;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      // The ranks cannot stop alone.
      ::raise(SIGSTOP);
      return;
    default:
      if (started) {
        handover::send(host, {.kind = Packet::Kind::signal, .value = signal});
        return;
      }
      // Nobody has the job yet.
      sigset_t own;
      ::sigemptyset(&own);
      ::sigaddset(&own, signal);
      ::signal(signal, SIG_DFL);
      ::raise(signal);
      ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  }
}

}  // namespace

GuestJob receive_job(int socket)
{
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const auto [received, packet] = handover::receive(socket);
  if (received != Received::packet || packet.kind != Packet::Kind::job || packet.descriptors.size() != 5) {
    for (const int descriptor : packet.descriptors) ::close(descriptor);
    fail(ErrorClass::intern, "the guest speaks another language");
  }
  GuestJob job;
  job.standard = {packet.descriptors[2], packet.descriptors[3], packet.descriptors[4]};
  job.description = read_description(packet.descriptors[0]);
  const std::string bytes = read_from_memory(packet.descriptors[1]);
  ::close(packet.descriptors[0]);
  ::close(packet.descriptors[1]);
  ByteReader more(bytes);
  job.mask = static_cast<mode_t>(more.number());
  job.settings = more.texts();
  return job;
}

std::optional<int> stand_for_job(int description, int host)
{
  const SignalsBlocked blocked;
  const int signals = ::signalfd(-1, &blocked.set(), SFD_CLOEXEC | SFD_NONBLOCK);
  send_job(description, host);
  pollfd watched[2] = {{host, POLLIN, 0}, {signals, POLLIN, 0}};
  Conversation conversation(host);
  while (!conversation.is_over()) {
    if (::poll(watched, 2, -1) <= 0) continue;
    if (watched[0].revents != 0) conversation.take_packet();
    signalfd_siginfo info{};
    while (::read(signals, &info, sizeof info) == sizeof info)
      pass_on(info, host, conversation.has_started());
  }
  ::close(host);
  ::close(signals);
  return conversation.code();
}

}  // namespace ranklet::launch
