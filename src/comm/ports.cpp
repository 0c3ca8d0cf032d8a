#include "comm/ports.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/random.h>
#include <unistd.h>

#include "comm/comm_state.hpp"
#include "comm/follow.hpp"
#include "ranks/arbiter.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

constexpr const char* prefix = "ranklet:";

// The process of the port's job, if it lives and is not this one; else 0.
int other_process(const std::string& port)
{
  if (!port.starts_with(prefix)) return 0;
  const int process = std::atoi(port.c_str() + std::strlen(prefix));
  return process > 0 && process != ::getpid() && ::kill(process, 0) == 0 ? process : 0;
}

bool overlap(const Group& first, const Group& second)
{
  return std::ranges::any_of(first.members(), [&](const Rank* rank) { return second.contains(*rank); });
}

}  // namespace

std::array<char, 16> random_number()
{
  std::array<char, 16> number;
  if (::getrandom(number.data(), number.size(), 0) != static_cast<ssize_t>(number.size()))
    fail(ErrorClass::other, "the system has no random number");
  return number;
}

std::string Ports::open(const Job& owner)
{
  std::string name = prefix + std::to_string(::getpid()) + ":";
  for (const char byte : random_number()) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    name += digits;
  }
  const Holder guard(lock_);
  ports_[name].owner = &owner;
  return name;
}

Ports::Port& Ports::find(const std::string& port)
{
  const auto found = ports_.find(port);
  if (found != ports_.end()) return found->second;
  if (const int process = other_process(port); process > 0)
    fail(ErrorClass::port,
         "the port \"%s\" belongs to another job, in process %d: start both by mpiexec --universe NAME, with "
         "one name, so that they can connect",
         port.c_str(), process);
  fail(ErrorClass::port, "no rank of this job has opened the port \"%s\"", port.c_str());
}

void Ports::finish(Call& call, End end)
{
  Rank& rank = call.waiting;
  call.end = end;
  call.done.set();
  rank.wake();
}

void Ports::end(const Port& port)
{
  for (const auto& calls : port.calls)
    for (const std::shared_ptr<Call>& call : calls) finish(*call, End::closed);
}

void Ports::close(const std::string& port)
{
  const Holder guard(lock_);
  end(find(port));
  ports_.erase(port);
}

void Ports::forget(const Job& owner)
{
  const Holder guard(lock_);
  std::erase_if(ports_, [&](const auto& port) {
    if (port.second.owner != &owner) return false;
    end(port.second);
    return true;
  });
  std::erase_if(services_, [&](const auto& service) { return service.second.owner == &owner; });
}

bool Ports::match(const Call& first, const Call& second)
{
  const bool any = !first.partner || first.partner->empty();
  return (any || *first.partner == second.waiting.path()) && !overlap(*first.group, *second.group);
}

std::shared_ptr<CommShared> Ports::meet(Rank& self, const std::string& port, Side side, const GroupPtr& group,
                                        std::optional<std::chrono::nanoseconds> longest,
                                        std::vector<int>* partner)
{
  const auto mine = static_cast<std::size_t>(side);
  const auto call = std::make_shared<Call>(self, group);
  call->partner = partner;
  {
    const Holder guard(lock_);
    Port& here = find(port);
    auto& others = here.calls[1 - mine];
    // Two threads of one rank cannot meet: an intercommunicator's groups are disjoint.
    const auto other = std::ranges::find_if(
        others, [&](const auto& waiting) { return match(*waiting, *call) && match(*call, *waiting); });
    if (other != others.end()) {
      const GroupPtr& theirs = (*other)->group;
      const bool second = side == Side::connects;
      const auto shared =
          std::make_shared<CommShared>(self.job, second ? theirs : group, second ? group : theirs);
      (*other)->result = shared;
      for (const Call* const each : {other->get(), call.get()})
        if (each->partner) *each->partner = (each == call.get() ? (*other)->waiting : self).path();
      finish(**other, End::met);
      others.erase(other);
      return shared;
    }
    here.calls[mine].push_back(call);
  }
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  // The clock ends the wait, or a job that is still to come: no rank need do it.
  const bool ends_from_outside = longest || self.job.universe->takes_in_jobs;
  if (ends_from_outside) self.outside_events.add(1);
  wait_until(self, self.parking,
             [&] { return call->done.is_set() || (longest && Clock::now() - begin >= *longest); });
  if (ends_from_outside) self.outside_events.add(-1);
  if (!call->done.is_set()) {
    const Holder guard(lock_);
    // Not if it was found in this moment.
    if (const auto place = ports_.find(port);
        place != ports_.end() && place->second.calls[mine].remove(call) > 0)
      fail(ErrorClass::port, "nobody has %s at the port \"%s\" in time",
           side == Side::connects ? "accepted" : "connected", port.c_str());
  }
  if (call->end == End::closed) fail(ErrorClass::port, "the port \"%s\" was closed", port.c_str());
  return call->result;
}

std::shared_ptr<CommShared> Ports::meet_under(Rank& self, const std::string& name, Side side,
                                              const GroupPtr& group)
{
  const std::string port = "join " + name;
  {
    const Holder guard(lock_);
    ports_[port];
  }
  const std::shared_ptr<CommShared> shared = meet(self, port, side, group);
  const Holder guard(lock_);
  ports_.erase(port);
  return shared;
}

void Ports::publish(const std::string& service, const std::string& port, const Job& owner)
{
  const Holder guard(lock_);
  if (!services_.emplace(service, Service{port, &owner}).second)
    fail(ErrorClass::service, "the service \"%s\" was published before", service.c_str());
}

void Ports::unpublish(const std::string& service)
{
  const Holder guard(lock_);
  if (services_.erase(service) == 0)
    fail(ErrorClass::service, "the service \"%s\" is not published", service.c_str());
}

std::string Ports::look_up(const std::string& service) const
{
  const Holder guard(lock_);
  const auto found = services_.find(service);
  if (found == services_.end())
    fail(ErrorClass::name, "no rank of this job has published the service \"%s\"", service.c_str());
  return found->second.port;
}

namespace {

// What its job had may be gone for good.
void check_not_past(const Rank& rank)
{
  if (!rank.comm) fail(ErrorClass::group, "a member of the group is of a world that has ended");
}

}  // namespace

Nursery& nursery_of(Rank& self, const Group& group)
{
  for (const Rank* const member : group.members()) check_not_past(*member);
  const bool one_world =
      std::ranges::all_of(group.members(), [&](const Rank* rank) { return &rank->job == &self.job; });
  return one_world ? world(self).shared().nursery : self.comm->ports->nursery;
}

Meetings& meetings_with(Rank& self, const Rank& other)
{
  check_not_past(other);
  return &other.job == &self.job ? *world(self).shared().meetings : self.comm->ports->meetings;
}

namespace {

// Programs read it from files.
std::string without_line_end(std::string port)
{
  while (port.ends_with('\n') || port.ends_with('\r')) port.pop_back();
  return port;
}

// Whom it meets is a choice of the acceptor's. An arbiter that tries all orders does not know this one.
std::shared_ptr<CommShared> meet_as_ruled(Rank& self, const std::string& port, const GroupPtr& group)
{
  struct Accept final : Question {
    Accept() : Question(ChoiceKind::accept) {}
    bool allows(const Outcome& outcome) const override { return outcome.size() % 2 == 1; }
  };
  Ports& ports = *self.comm->ports;
  Arbiter* const arbiter = self.job.options().arbiter.get();
  if (!arbiter || arbiter->holds_receives()) return ports.meet(self, port, Ports::Side::accepts, group);
  Accept question;
  const Arbiter::Ruling ruling = arbiter->begin(self, question);
  Outcome partner = ruling.forced.value_or(Outcome());
  auto shared = ports.meet(self, port, Ports::Side::accepts, group, {}, &partner);
  arbiter->end(self, ruling.index, partner);
  return shared;
}

CommRef meet_at_port(Communicator& local, int root, const char* port, Ports::Side side,
                     std::optional<std::chrono::nanoseconds> longest)
{
  if (local.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
  CommRef child = follow(local, root, "root", [&] {
    if (port == nullptr) fail(ErrorClass::arg, "the port's name is a null pointer at the root");
    const std::string name = without_line_end(port);
    if (side == Ports::Side::accepts) return meet_as_ruled(local.self(), name, local.group());
    return local.self().comm->ports->meet(local.self(), name, side, local.group(), longest);
  });
  child->inherit(local);
  return child;
}

}  // namespace

CommRef accept(Communicator& local, int root, const char* port)
{
  return meet_at_port(local, root, port, Ports::Side::accepts, {});
}

CommRef connect(Communicator& local, int root, const char* port,
                std::optional<std::chrono::nanoseconds> longest)
{
  return meet_at_port(local, root, port, Ports::Side::connects, longest);
}

}  // namespace ranklet::comm
