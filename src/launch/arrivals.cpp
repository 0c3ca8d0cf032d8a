#include "launch/arrivals.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <unistd.h>

#include "base/signal_mask.hpp"
#include "handover/bytes.hpp"

namespace ranklet::launch {
namespace {

using handover::Packet;
using handover::Received;

// What the process sends after its first word; null if it is gone.
std::shared_ptr<Arrival> receive_program(int socket)
{
  auto [received, first] = handover::receive(socket);
  if (received != Received::packet || first.kind != Packet::Kind::program || first.descriptors.size() < 2)
    return nullptr;
  auto arrival = std::make_shared<Arrival>();
  arrival->program = handover::ProgramState::from(read_from_memory(first.descriptors[0]));
  ::close(first.descriptors[0]);
  arrival->directory = first.descriptors[1];
  std::vector<int> ours(first.descriptors.begin() + 2, first.descriptors.end());
  while (ours.size() < arrival->program.numbers.size()) {
    const auto [again, more] = handover::receive(socket);
    if (again != Received::packet || more.kind != Packet::Kind::program) return nullptr;
    ours.insert(ours.end(), more.descriptors.begin(), more.descriptors.end());
  }
  for (std::size_t i = 0; i < arrival->program.numbers.size(); ++i)
    arrival->descriptors[arrival->program.numbers[i]] = ours[i];
  return arrival;
}

}  // namespace

Arrival::~Arrival()
{
  if (directory >= 0) ::close(directory);
}

Arrivals::Arrivals(From from, int control, int ranks, Events events)
    : from_(from),
      control_(control),
      ranks_(ranks),
      events_(std::move(events)),
      stand_ins_({events_.is_signalled, events_.is_killed}),
      attendance_(static_cast<std::size_t>(ranks), Attendance::expected),
      gone_(static_cast<std::size_t>(ranks))
{
}

Arrivals::~Arrivals()
{
  ::close(control_);
}

void Arrivals::start()
{
  const SignalsBlocked blocked;
  std::thread([this] { work(); }).detach();
}

void Arrivals::work()
{
  // First those that are there, without the one that take_control() takes in.
  for (int control = control_; control >= 0 || !stand_ins_.is_empty();)
    if (stand_ins_.wait(control) && !take_control()) control = -1;
  // If it has not said so before its end.
  for (int rank = 0; rank < ranks_; ++rank)
    if (!has_gone(rank)) note_gone(rank, 128 + SIGKILL);
  events_.all_gone();
  const Holder guard(mutex_);
  all_gone_ = true;
  over_.notify_all();
}

bool Arrivals::take_control()
{
  const auto [received, packet] = handover::receive(control_, false);
  if (received == Received::nothing) return true;
  if (received == Received::end) return false;
  if (packet.rank < 0 || packet.rank >= ranks_) return true;
  if (packet.kind == Packet::Kind::arrival && packet.descriptors.size() == 1)
    take_in(packet.descriptors[0], packet.rank);
  if (packet.kind == Packet::Kind::gone) note_gone(packet.rank, packet.value);
  return true;
}

void Arrivals::take_in(int socket, int rank)
{
  std::shared_ptr<Arrival> arrival = receive_program(socket);
  stand_ins_.add(rank, socket);
  {
    const Holder guard(mutex_);
    attendance_[static_cast<std::size_t>(rank)] = Attendance::runs;
  }
  if (!arrival) return events_.is_killed(rank);
  stand_ins_.tell(rank, {.kind = Packet::Kind::started, .rank = rank, .value = ::getpid()});
  events_.comes(rank, std::move(arrival));
}

bool Arrivals::has_gone(int rank) const
{
  const Holder guard(mutex_);
  return gone_[static_cast<std::size_t>(rank)] != 0;
}

void Arrivals::note_gone(int rank, int code)
{
  const auto index = static_cast<std::size_t>(rank);
  bool missing = false;
  {
    const Holder guard(mutex_);
    missing = gone_[index] == 0 && attendance_[index] == Attendance::expected;
    gone_[index] = 1;
    if (is_over()) over_.notify_all();
  }
  if (missing) events_.is_missing(rank);
  events_.is_gone(rank, code);
}

void Arrivals::ended(int rank, int code, bool used)
{
  const auto index = static_cast<std::size_t>(rank);
  bool missing = false;
  {
    const Holder guard(mutex_);
    if (attendance_[index] != Attendance::runs) return;
    // mpiexec first: the process may hand over its next program at once.
    handover::send(control_, {.kind = used ? Packet::Kind::used : Packet::Kind::free, .rank = rank});
    stand_ins_.end(rank, {.kind = Packet::Kind::exited, .rank = rank, .value = code & 0xff});
    attendance_[index] = used ? Attendance::used : Attendance::expected;
    missing = !used && gone_[index] != 0;
    if (is_over()) over_.notify_all();
  }
  if (missing) events_.is_missing(rank);
}

bool Arrivals::is_over() const
{
  if (from_ == From::starter) return all_gone_;
  for (std::size_t rank = 0; rank < attendance_.size(); ++rank)
    if (attendance_[rank] == Attendance::runs ||
        (attendance_[rank] == Attendance::expected && gone_[rank] == 0))
      return false;
  return true;
}

bool Arrivals::is_over_now() const
{
  const Holder guard(mutex_);
  return is_over();
}

void Arrivals::wait_for_all()
{
  MutexHolder lock(mutex_);
  while (!is_over()) lock.wait(over_);
}

std::vector<int> Arrivals::missing() const
{
  const Holder guard(mutex_);
  std::vector<int> ranks;
  if (std::ranges::find(attendance_, Attendance::used) == attendance_.end()) return ranks;
  for (std::size_t rank = 0; rank < attendance_.size(); ++rank)
    if (attendance_[rank] == Attendance::expected) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

bool Arrivals::is_running(int rank) const
{
  const Holder guard(mutex_);
  return attendance_[static_cast<std::size_t>(rank)] == Attendance::runs;
}

bool Arrivals::is_missing(int rank) const
{
  const Holder guard(mutex_);
  const auto index = static_cast<std::size_t>(rank);
  return attendance_[index] == Attendance::expected && gone_[index] != 0;
}

}  // namespace ranklet::launch
