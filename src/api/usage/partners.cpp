#include "api/usage/partners.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/entry/call.hpp"
#include "api/entry/request_calls.hpp"
#include "api/handles/names.hpp"

namespace ranklet::api {

namespace {

class Partners {
 public:
  explicit Partners(Rank& self) : self_(self) { found_.anybody = false; }

  void add(const Rank& rank)
  {
    known_ = true;
    found_.ranks.push_back(rank.number);
  }
  void add_members(const Communicator& comm)
  {
    add_members(comm.group());
    if (comm.is_inter()) add_members(comm.peers());
  }
  // What is named by `rank` in a call of point-to-point communication.
  void add_peer(const Communicator& comm, int rank)
  {
    if (rank >= 0 && rank < comm.peer_count())
      add(comm.peer(rank));
    else if (rank == any_source)
      add_members(comm);
    else
      known_ = true;  // MPI_PROC_NULL is nobody
  }
  void add_request(const Request* request)
  {
    if (!is_active(request) || request->complete()) return;
    const Request::Partner partner = request->partner();
    if (partner.rank) return add(*partner.rank);
    // Mostly that of the request before.
    if (!comm_ || comm_->context() != request->context()) comm_ = find_comm(self_, request->context());
    if (comm_)
      add_peer(*comm_, partner.member);
    else
      found_.anybody = true;
  }

  WaitPartners take()
  {
    if (!known_ || found_.anybody) return {};
    std::ranges::sort(found_.ranks);
    found_.ranks.erase(std::unique(found_.ranks.begin(), found_.ranks.end()), found_.ranks.end());
    return std::move(found_);
  }

 private:
  void add_members(const GroupPtr& group)
  {
    known_ = true;
    const auto is_it = [&](const auto& set) { return set.get() == &group->members(); };
    if (std::ranges::none_of(found_.sets, is_it)) found_.sets.emplace_back(group, &group->members());
  }

  Rank& self_;
  CommRef comm_;
  WaitPartners found_;
  bool known_ = false;
};

// MPI_Wait has one request, the others an array behind its length.
void add_requests(Partners& partners, RankState& state, const Call& call, int index)
{
  const auto* const handles = reinterpret_cast<const MPI_Request*>(call.word_of(index));
  if (!handles) return;
  const bool array = index > 0 && std::string_view(call.function().parameters[0].name) == "count";
  const Word count = array ? call.word_of(0) : 1;
  for (Word i = 0; i < count; ++i)
    if (Request* const* const request = state.requests.look_up(handles[i])) partners.add_request(*request);
}

}  // namespace

WaitPartners partners(Rank& self, const CallNote& note)
{
  const Call& call = static_cast<const Call&>(note);
  RankState& state = *self.api;
  Partners partners(self);
  std::vector<int> named;  // ranks of the communicator
  bool names_some = false;
  const auto parameters = call.function().parameters;
  // The communicator comes after the ranks.
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    const ParameterInfo& parameter = parameters[static_cast<std::size_t>(i)];
    const std::string_view kind = parameter.kind->name;
    const ArgumentSort sort = parameter.kind->sort;
    const Word word = call.word_of(i);
    // Any rank may connect or accept there, and so may programs that begin.
    const std::string_view name = parameter.name;
    if (name == "port_name" || name == "command" || name == "array_of_commands") return {};
    if (sort == ArgumentSort::requests && parameter.pointer) {
      add_requests(partners, state, call, i);
    } else if (parameter.pointer) {
      continue;
    } else if (kind == "dest" || kind == "source") {
      names_some = true;
      named.push_back(static_cast<int>(word));
    } else if (sort == ArgumentSort::comms) {
      CommRef* const comm = state.comms.look_up(state.comms.make(static_cast<std::uintptr_t>(word)));
      if (!comm) continue;
      if (!names_some) partners.add_members(**comm);
      for (const int rank : named) partners.add_peer(**comm, rank);
    } else if (sort == ArgumentSort::wins) {
      Window** const window = state.wins.look_up(state.wins.make(static_cast<std::uintptr_t>(word)));
      if (window) partners.add_members((*window)->comm());
    } else if (sort == ArgumentSort::files) {
      File** const file = state.files.look_up(state.files.make(static_cast<std::uintptr_t>(word)));
      if (file) partners.add_members((*file)->comm());
    }
  }
  return partners.take();
}

std::vector<std::string> unmatched_messages(Rank& rank)
{
  std::vector<std::string> lines;
  if (p2p::is_full(rank))
    lines.push_back("full: what is sent to it waits, as it keeps more than " +
                    std::to_string(rank.job.options().unexpected_limit) +
                    " bytes of messages without a receive (--unexpected-limit)");
  for (const auto& [context, status] : p2p::waiting_messages(rank)) {
    const CommRef comm = find_comm(rank, context);
    const std::string where =
        comm ? comm_text(*rank.api, handle_value(rank.api->comms.handle_of(*comm))) : "a freed communicator";
    lines.push_back("unmatched: a message from rank " + std::to_string(status.source) + " with tag " +
                    std::to_string(status.tag) + " on " + where + ", " + std::to_string(status.bytes) +
                    " bytes");
  }
  return lines;
}

}  // namespace ranklet::api
