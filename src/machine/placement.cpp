#include "machine/placement.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ranklet {
namespace {

struct CoreAddress {
  sockaddr_un address{};
  socklen_t length = 0;
};

CoreAddress address_of(const std::string& realm, const CpuSet& core)
{
  CoreAddress result;
  const std::string name = realm + ".core." + std::to_string(core.first());
  result.address.sun_family = AF_UNIX;
  // A leading zero byte makes the name abstract: no file, gone with its last descriptor (unix(7)).
  std::memcpy(result.address.sun_path + 1, name.data(),
              std::min(name.size(), sizeof result.address.sun_path - 1));
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

int datagram_socket()
{
  return ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

bool touches(const CpuSet& core, const CpuSet& cpus)
{
  CpuSet common = core;
  common &= cpus;
  return !common.empty();
}

// The threads that a rank will start are told by the user in OMP_NUM_THREADS, if at all.
int threads_per_rank()
{
  const char* const text = environment_variable("OMP_NUM_THREADS");
  std::int64_t threads = 0;
  return text != nullptr && parse_count(text, threads) && threads > 0 && threads < 4096
             ? static_cast<int>(threads)
             : 1;
}

}  // namespace

CoreClaims::~CoreClaims()
{
  release();
}

void CoreClaims::release()
{
  for (const int socket : sockets_) ::close(socket);
  sockets_.clear();
}

CpuSet CoreClaims::free(const Topology& topology) const
{
  CpuSet result = topology.allowed();
  const int probe = datagram_socket();
  if (probe < 0) return result;
  for (const CpuSet& core : topology.objects(Level::core)) {
    const CoreAddress name = address_of(realm_, core);
    // Connecting finds out whether somebody has the name without taking it.
    if (::connect(probe, reinterpret_cast<const sockaddr*>(&name.address), name.length) == 0) result -= core;
  }
  ::close(probe);
  return result;
}

bool CoreClaims::claim(const Topology& topology, const CpuSet& cpus)
{
  const std::size_t before = sockets_.size();
  for (const CpuSet& core : topology.objects(Level::core)) {
    if (!touches(core, cpus)) continue;
    const CoreAddress name = address_of(realm_, core);
    const int socket = datagram_socket();
    if (socket < 0)
      return true;  // out of descriptors: other jobs will not see this core, which is no failure
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&name.address), name.length) == 0) {
      sockets_.push_back(socket);
      continue;
    }
    const bool taken = errno == EADDRINUSE;
    ::close(socket);
    if (!taken) continue;
    while (sockets_.size() > before) {
      ::close(sockets_.back());
      sockets_.pop_back();
    }
    return false;
  }
  return true;
}

Placement::Placement(const Topology& topology, int ranks, const Config& config, std::string realm)
    : topology_(topology),
      config_(config),
      ranks_(ranks),
      request_{ranks, threads_per_rank(), config.bind_to, config.map_by, config.rank_by},
      claims_(std::move(realm))
{
  // Jobs that start together may choose the same free cores; one gets them and the other looks again.
  for (int attempt = 0; attempt < 8; ++attempt) {
    plan_ = plan_binding(topology, claims_.free(topology), request_);
    if (claims_.claim(topology, plan_.in_use)) return;
  }
  plan_.ranks.clear();
  plan_.own_cpus = false;
  plan_.note = "other jobs use the cores";
}

bool Placement::find_own_cpus()
{
  if (plan_.own_cpus || request_.ranks * request_.threads_per_rank > topology_.usable_cpus()) return false;
  claims_.release();
  const BindingPlan plan = plan_binding(topology_, claims_.free(topology_), request_);
  plan_.own_cpus = claims_.claim(topology_, plan.in_use) && plan.own_cpus;
  return plan_.own_cpus;
}

bool Placement::bind_this_thread(int rank) const
{
  return !pinned() || topology_.bind_this_thread(plan_.ranks[static_cast<std::size_t>(rank)]);
}

std::vector<Place> Placement::places() const
{
  std::vector<Place> places;
  for (int rank = 0; rank < ranks_; ++rank)
    places.push_back(
        find_place(topology_, pinned() ? plan_.ranks[static_cast<std::size_t>(rank)] : topology_.allowed()));
  return places;
}

WaitPolicy Placement::wait_policy() const
{
  const int cpus = std::max(1, topology_.usable_cpus());
  if (own_cpus()) return configured_wait_policy(config_, 1, 1);
  WaitPolicy policy = configured_wait_policy(config_, std::max(ranks_, cpus + 1), cpus);
  if (ranks_ <= cpus && config_.wait == WaitMode::automatic && !config_.spin_count)
    policy.first_looks = WaitPolicy::few;
  return policy;
}

WaitPolicy configured_wait_policy(const Config& config, int ranks, int cpus)
{
  constexpr std::int64_t most = 1 << 30;
  WaitPolicy policy = WaitPolicy::automatic(ranks, cpus);
  switch (config.wait) {
    case WaitMode::automatic:
      break;
    case WaitMode::spin:
      policy.spins = static_cast<int>(most);
      break;
    case WaitMode::yield:
      policy.spins = 0;
      policy.park = false;
      break;
    case WaitMode::park:
      policy.spins = 0;
      policy.yields = 0;
      break;
  }
  if (config.spin_count) policy.spins = static_cast<int>(std::min(*config.spin_count, most));
  if (config.yield_count) policy.yields = static_cast<int>(std::min(*config.yield_count, most));
  return policy;
}

int Placement::cores_of(int rank) const
{
  if (!pinned()) return std::max(1, topology_.usable_cpus() / ranks_);
  const CpuSet& own = plan_.ranks[static_cast<std::size_t>(rank)];
  const auto cores = topology_.objects(Level::core);
  const auto is_own = [&](const CpuSet& core) {
    CpuSet both = core;
    both &= own;
    return !both.empty();
  };
  return std::max(1, static_cast<int>(std::ranges::count_if(cores, is_own)));
}

std::string Placement::report() const
{
  std::string text;
  for (int rank = 0; rank < ranks_; ++rank) {
    text += "rank " + std::to_string(rank) + ": ";
    text += pinned() ? describe_cpus(topology_, plan_.ranks[static_cast<std::size_t>(rank)])
                     : describe_cpus(topology_, CpuSet()) + (plan_.note.empty() ? "" : ": " + plan_.note);
    text += "\n";
  }
  return text;
}

}  // namespace ranklet
