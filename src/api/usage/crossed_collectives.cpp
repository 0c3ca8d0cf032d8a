// What the deadlock report adds where ranks are in the same collective on different communicators.
#include <algorithm>

#include "api/entry/call.hpp"
#include "api/handles/names.hpp"
#include "api/usage/buffer_uses.hpp"
#include "api/usage/call_plan.hpp"
#include "api/usage/partners.hpp"
#include "api/usage/rank_checks.hpp"

namespace ranklet::api {

namespace {

constexpr std::size_t most_members = 16;  // that are listed

// "'rows' (0x…) of ranks 0 and 2 of MPI_COMM_WORLD, made by MPI_Comm_split(…) in main() at grid.c:12"; the
// maker is known where calls are checked.
std::string birth_text(RankState& state, const Communicator& comm)
{
  const std::uintptr_t handle = handle_value(state.comms.handle_of(comm));
  std::string text = comm_text(state, handle);
  const std::vector<Rank*>& members = comm.group()->members();
  const bool alone =
      std::ranges::all_of(members, [&](const Rank* member) { return &member->job == &state.rank.job; });
  if (constant_of_handle(handle) == nullptr && !comm.is_inter() && alone && members.size() <= most_members) {
    text += members.size() == 1 ? " of rank" : " of ranks";
    for (std::size_t i = 0; i < members.size(); ++i)
      text += (i == 0                    ? " "
               : i + 1 == members.size() ? " and "
                                         : ", ") +
              std::to_string(members[i]->world_rank);
    text += " of MPI_COMM_WORLD";
  }
  if (state.checks)
    if (const CallRecordRef made = state.checks->made_by(handle))
      text += ", made by " + made->text() + " in " + made->place();
  return text;
}

}  // namespace

std::string crossed_collectives(const std::vector<std::pair<Rank*, const CallNote*>>& calls)
{
  const CommShared* first = nullptr;
  const FunctionInfo* function = nullptr;
  bool differ = false;
  std::string text;
  for (const auto& [rank, note] : calls) {
    const Call& call = static_cast<const Call&>(*note);
    if (plan_of(call.function()).pattern == CollectivePattern::none) return {};
    if (function && function != &call.function()) return {};
    function = &call.function();
    Rank* const self = bind_current_rank(rank);
    if (const Communicator* const comm = comm_of(*rank->api, call)) {
      differ = differ || (first && first != &comm->shared());
      if (!first) first = &comm->shared();
      text += "    " + rank->name() + " on " + birth_text(*rank->api, *comm) + "\n";
    }
    bind_current_rank(self);
  }
  if (!differ) return {};
  return "  the same collective on different communicators:\n" + text;
}

}  // namespace ranklet::api
