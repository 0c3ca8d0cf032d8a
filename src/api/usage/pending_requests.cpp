// What the deadlock report says of requests: those that a call waits for, and persistent ones that nobody has
// started.
#include <algorithm>
#include <string_view>
#include <utility>

#include "api/entry/call.hpp"
#include "api/entry/request_calls.hpp"
#include "api/handles/names.hpp"
#include "api/usage/buffer_uses.hpp"
#include "api/usage/call_plan.hpp"
#include "api/usage/partners.hpp"
#include "api/usage/rank_checks.hpp"
#include "coll/coll.hpp"

namespace ranklet::api {

namespace {

std::string partner_text(const Communicator& comm, const Request::Partner& partner)
{
  if (!partner.rank && partner.member == any_source) return "anybody";
  const Group& peers = comm.is_inter() ? *comm.peers() : *comm.group();
  const int member = partner.rank ? peers.rank_of(*partner.rank) : partner.member;
  return member < 0 ? "MPI_PROC_NULL" : "rank " + std::to_string(member);
}

// "MPI_Irecv(…) in main() at ring.c:12" where calls are checked, else "a receive from rank 1 with tag 0 on
// MPI_COMM_WORLD".
std::string request_text(RankState& state, const Request& request)
{
  if (state.checks)
    if (const CallRecordRef made = state.checks->made_by(request))
      return made->text() + " in " + made->place();
  const Request::Partner partner = request.partner();
  std::string text = request.collective().call;
  if (text.empty()) text = partner.what ? partner.what : "an operation";
  const CommRef comm = find_comm(state.rank, request.context());
  if (partner.what) {
    if (comm) text += (partner.rank ? " to " : " from ") + partner_text(*comm, partner);
    text += partner.tag == any_tag ? " with any tag" : " with tag " + std::to_string(partner.tag);
  }
  if (comm) text += " on " + comm_text(state, handle_value(state.comms.handle_of(*comm)));
  return text;
}

// "ranks 1, 3-5 and 7"
std::string ranks_text(const std::vector<int>& ranks)
{
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    const bool is_pair = end - i == 2;
    if (is_pair) --end;
    runs.push_back(std::to_string(ranks[i]) + (end - i > 1 ? "-" + std::to_string(ranks[end - 1]) : ""));
    i = end;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < runs.size(); ++i)
    text += (i == 0 ? "" : i + 1 == runs.size() ? " and " : ", ") + runs[i];
  return text;
}

std::string absent_text(const std::vector<int>& absent)
{
  if (absent.empty()) return {};
  return ranks_text(absent) + (absent.size() == 1 ? " has" : " have") + " not come to it";
}

// Of a blocking collective: who has not come, of those for whom this rank waits.
std::string absent_text(RankState& state, const Call& call)
{
  const CollectivePattern pattern = plan_of(call.function()).pattern;
  if (pattern == CollectivePattern::none || pattern == CollectivePattern::neighbor_allgather ||
      pattern == CollectivePattern::neighbor_alltoall)
    return {};
  Communicator* const comm = comm_of(state, call);
  if (!comm) return {};
  std::vector<int> absent = coll::absent_members(*comm);
  const auto parameters = call.function().parameters;
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    if (std::string_view(parameters[static_cast<std::size_t>(i)].name) != "root") continue;
    const int root = static_cast<int>(call.word_of(i));
    if (root != comm->rank()) std::erase_if(absent, [&](int member) { return member != root; });
  }
  return absent_text(absent);
}

}  // namespace

std::vector<std::string> awaited_requests(Rank& rank, const CallNote& note)
{
  const Call& call = static_cast<const Call&>(note);
  const auto parameters = call.function().parameters;
  std::vector<std::string> lines;
  if (std::string absent = absent_text(*rank.api, call); !absent.empty()) lines.push_back(std::move(absent));
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    const ParameterInfo& parameter = parameters[static_cast<std::size_t>(i)];
    if (parameter.kind->sort != ArgumentSort::requests || !parameter.pointer || !parameter.input_too)
      continue;
    const auto* const handles = reinterpret_cast<const MPI_Request*>(call.word_of(i));
    const bool array = i > 0 && std::string_view(parameters[0].name) == "count";
    const Word count = !handles ? 0 : array ? call.word_of(0) : 1;
    for (Word k = 0; k < count; ++k)
      if (Request* const* const request = rank.api->requests.look_up(handles[k]);
          request && is_active(*request) && !(*request)->complete()) {
        const std::string absent = absent_text((*request)->collective().absent);
        lines.push_back("waits for " + request_text(*rank.api, **request) + (absent.empty() ? "" : "; ") +
                        absent);
      }
  }
  return lines;
}

std::vector<std::string> requests_not_started(Rank& rank)
{
  std::vector<std::string> lines;
  rank.api->requests.for_each([&](MPI_Request, Request* request) {
    if (request->persistent() && !request->active())
      lines.push_back("not started: " + request_text(*rank.api, *request));
  });
  return lines;
}

}  // namespace ranklet::api
