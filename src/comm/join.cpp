// MPI_Comm_join (MPI 5.0 §11.10.5): two processes that share a socket.
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

#include "comm/comm_state.hpp"
#include "comm/ports.hpp"
#include "terms/call_note.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

// What each end tells the other. The ends are in the same job if they find each other under a name made of
// both; the socket is as it was afterwards.
struct Greeting {
  std::array<char, 16> job;  // a random number that all ranks of the job share
  std::array<char, 16> own;
};

// Moves all bytes by move(), which does not block, or throws. The other end need not be a rank of this host,
// so nobody notifies us and the deadlock watch is not told: the rank looks around between short sleeps, as a
// loop of tests does.
template <class Byte, class Move>
void move_all(Rank& self, pollfd wait, Byte* bytes, std::size_t size, Move&& move)
{
  constexpr int longest_sleep = 5;  // milliseconds
  while (size > 0) {
    const ssize_t moved = move(wait.fd, bytes, size);
    if (moved > 0) {
      bytes += moved;
      size -= static_cast<std::size_t>(moved);
    } else if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (const CallNote* const call = current_call()) self.vain_tests.note(call->site);
      self.job.look_around(self);
      self.serve();
      ::poll(&wait, 1, longest_sleep);
    } else if (moved == 0 || errno != EINTR) {
      fail(ErrorClass::arg, "the socket %d cannot be used: %s", wait.fd,
           moved == 0 ? "its other end is closed" : std::strerror(errno));
    }
  }
}

}  // namespace

CommRef join(Rank& self, int socket)
{
  Greeting mine{};
  Greeting theirs{};
  mine.job = self.comm->ports->job_number();
  mine.own = random_number();
  move_all(self, {socket, POLLOUT, 0}, reinterpret_cast<const char*>(&mine), sizeof mine,
           [](int to, const char* bytes, std::size_t size) {
             return ::send(to, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
           });
  move_all(self, {socket, POLLIN, 0}, reinterpret_cast<char*>(&theirs), sizeof theirs,
           [](int from, char* bytes, std::size_t size) { return ::recv(from, bytes, size, MSG_DONTWAIT); });
  if (theirs.job != mine.job) return {};
  const bool first = mine.own < theirs.own;
  const Greeting& name = first ? mine : theirs;
  const GroupPtr group = comm::self(self).group();
  CommRef child = CommRef::adopt(new Communicator(
      self, self.comm->ports->meet_under(self, std::string(name.own.data(), name.own.size()),
                                         first ? Ports::Side::accepts : Ports::Side::connects, group)));
  child->inherit(comm::self(self));
  return child;
}

}  // namespace ranklet::comm
