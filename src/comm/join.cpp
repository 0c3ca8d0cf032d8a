// MPI_Comm_join (MPI 5.0 §11.10.5): two processes that share a socket.
#include <array>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "comm/comm_state.hpp"
#include "comm/ports.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

// What each end tells the other. The ends are in the same job if they find each other under a name made of
// both; the socket is as it was afterwards.
struct Greeting {
  std::array<char, 16> job;  // a random number that all ranks of the job share
  std::array<char, 16> own;
};

template <class Move>
void move_all(int socket, char* bytes, std::size_t size, Move&& move)
{
  while (size > 0) {
    const ssize_t moved = move(socket, bytes, size);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0)
      fail(ErrorClass::arg, "the socket %d cannot be used: %s", socket,
           moved == 0 ? "its other end is closed" : std::strerror(errno));
    bytes += moved;
    size -= static_cast<std::size_t>(moved);
  }
}

}  // namespace

CommRef join(Rank& self, int socket)
{
  Greeting mine{};
  Greeting theirs{};
  mine.job = self.comm->ports->job_number();
  mine.own = random_number();
  move_all(socket, reinterpret_cast<char*>(&mine), sizeof mine,
           [](int to, const char* bytes, std::size_t size) { return ::write(to, bytes, size); });
  move_all(socket, reinterpret_cast<char*>(&theirs), sizeof theirs,
           [](int from, char* bytes, std::size_t size) { return ::read(from, bytes, size); });
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
