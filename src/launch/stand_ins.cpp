#include "launch/stand_ins.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "libc/patience.hpp"

namespace ranklet::launch {

using handover::Packet;
using handover::Received;

void StandIns::add(int number, int socket)
{
  const Holder guard(mutex_);
  all_.push_back({number, socket});
}

bool StandIns::wait(int descriptor)
{
  std::vector<pollfd> watched = {{descriptor, POLLIN, 0}};  // poll(2) leaves out -1
  for (const One& one : all_) watched.push_back({one.socket, POLLIN, 0});
  if (::poll(watched.data(), watched.size(), -1) <= 0) return false;
  auto entry = watched.begin();
  for (auto one = all_.begin(); one != all_.end();) {
    const bool stays = (++entry)->revents == 0 || take_from(*one);
    const Holder guard(mutex_);
    one = stays ? std::next(one) : all_.erase(one);
  }
  return watched[0].revents != 0;
}

bool StandIns::take_from(One& one)
{
  const auto [received, packet] = handover::receive(one.socket, false);
  if (received == Received::nothing) return true;
  bool over;
  {
    const Holder guard(mutex_);
    over = one.over;
  }
  if (received == Received::packet) {
    if (packet.kind == Packet::Kind::signal && !over) events_.is_signalled(one.number, packet.value);
    return true;
  }
  if (!over) events_.is_gone(one.number);
  ::close(one.socket);
  return false;
}

StandIns::One* StandIns::find(int number)
{
  const auto found =
      std::ranges::find_if(all_, [number](const One& one) { return one.number == number && !one.over; });
  return found != all_.end() ? &*found : nullptr;
}

void StandIns::tell(int number, const Packet& packet)
{
  const Holder guard(mutex_);
  if (const One* const one = find(number)) handover::send(one->socket, packet);
}

void StandIns::end(int number, const Packet& packet)
{
  const Holder guard(mutex_);
  One* const one = find(number);
  if (one == nullptr) return;
  one->over = true;
  handover::send(one->socket, packet);
}

void StandIns::end_all(const Packet& packet) noexcept
{
  loader::Patience patience(std::chrono::milliseconds(200));
  if (!patience.until([this] { return mutex_.try_lock(); })) return;
  const Holder guard(mutex_, std::adopt_lock);
  for (One& one : all_) {
    if (!one.over) handover::send(one.socket, packet, false);
    one.over = true;
  }
}

}  // namespace ranklet::launch
