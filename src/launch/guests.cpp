#include "launch/guests.hpp"

#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "base/signal_mask.hpp"
#include "handover/packet.hpp"

namespace ranklet::launch {

using handover::Packet;

Guests::Guests(int listener, Events events)
    : comes_(std::move(events.comes)), stand_ins_({std::move(events.is_signalled), std::move(events.is_gone)})
{
  const SignalsBlocked blocked;
  std::thread([this, listener] { work(listener); }).detach();
}

void Guests::work(int listener)
{
  while (true)
    if (stand_ins_.wait(listener) && !take_in(listener)) listener = -1;
}

bool Guests::take_in(int listener)
{
  const Holder door(door_);
  // An mpiexec that waits there tries again when this process has ended.
  if (!open_) return false;
  const int socket = handover::accept(listener);
  if (socket < 0) return true;
  const int number = ++last_;
  stand_ins_.add(number, socket);
  try {
    GuestJob job = receive_job(socket);
    stand_ins_.tell(number, {.kind = Packet::Kind::started});
    comes_(number, std::move(job));
  } catch (const std::exception& error) {
    stand_ins_.end(number, {.kind = Packet::Kind::refused, .text = error.what()});
  }
  return true;
}

bool Guests::close_door_if(const std::function<bool()>& idle)
{
  const Holder door(door_);
  if (idle()) open_ = false;
  return !open_;
}

void Guests::tell(int guest, const std::string& text)
{
  stand_ins_.tell(guest, {.kind = Packet::Kind::note, .text = text});
}

void Guests::ended(int guest, int code, const std::string& text)
{
  stand_ins_.end(guest, {.kind = Packet::Kind::exited, .value = code, .text = text});
}

void Guests::all_end(int code, std::string_view text) noexcept
{
  try {
    stand_ins_.end_all({.kind = Packet::Kind::exited, .value = code, .text = std::string(text)});
  } catch (const std::bad_alloc&) {
    // They see that the host has gone.
  }
}

}  // namespace ranklet::launch
