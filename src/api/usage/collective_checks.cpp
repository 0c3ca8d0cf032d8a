// What a member says of its collective call to the comparison with the others' (check/collectives.hpp).
#include <algorithm>

#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"
#include "datatype/checked.hpp"

namespace ranklet::api {

namespace {

using check::CollectiveCall;
using check::Portions;

// Of a fence: what no member may give alone (§12.5.5).
std::string common_assertions(Word given)
{
  std::string names;
  if (given & MPI_MODE_NOPRECEDE) names = "MPI_MODE_NOPRECEDE";
  if (given & MPI_MODE_NOSUCCEED) names += names.empty() ? "MPI_MODE_NOSUCCEED" : " and MPI_MODE_NOSUCCEED";
  return names;
}

bool fill_rooted(CollectiveCall& made, const Arguments& arguments, const Communicator& comm, bool to_root)
{
  const bool is_root = made.root == comm.rank();
  // Where the root and the others give or take.
  const char* const member_side = to_root ? "send" : "recv";
  const char* const root_side = to_root ? "recv" : "send";
  Portions& member = to_root ? made.gives : made.takes;
  Portions& root = to_root ? made.takes : made.gives;
  if (!is_root) {
    member.peer = made.root;
    return arguments.add_portions(member.each, member_side, 1);
  }
  root.peer = Portions::all;
  return arguments.add_portions(root.each, root_side, comm.size());
}

bool fill_mutual(CollectiveCall& made, const Arguments& arguments, const Communicator& comm, bool alike)
{
  made.gives.peer = made.takes.peer = Portions::all;
  if (!arguments.add_portions(made.takes.each, "recv", comm.size())) return false;
  if (!arguments.in_place("sendbuf")) return arguments.add_portions(made.gives.each, "send", comm.size());
  if (alike)
    made.gives.each = {*made.takes.of(comm.rank())};
  else
    made.gives.each = made.takes.each;
  return true;
}

bool fill_operands(CollectiveCall& made, const Arguments& arguments, const Communicator& comm)
{
  std::vector<Signature> each;
  const Datatype* const type = arguments.type(arguments.word("datatype"));
  if (arguments.has("recvcounts")) {
    if (arguments.word("recvcounts") == 0) return false;
    Signature sum;
    for (int i = 0; i < comm.size(); ++i) {
      if (!arguments.add(each, arguments.element("recvcounts", i), type)) return false;
      sum.elements = checked_add(sum.elements, each.back().elements);
      // How they are dealt out counts as well.
      sum.hash = sum.hash * 31 + each.back().hash;
    }
    made.operands = sum;
    return true;
  }
  const char* const count = arguments.has("recvcount") ? "recvcount" : "count";
  if (!arguments.add(each, arguments.word(count), type)) return false;
  made.operands = each[0];
  return true;
}

bool fill_bcast(CollectiveCall& made, const Arguments& arguments, const Communicator& comm)
{
  Portions& mine = made.root == comm.rank() ? made.gives : made.takes;
  mine.peer = made.root == comm.rank() ? Portions::all : made.root;
  return arguments.add(mine.each, arguments.word("count"), arguments.type(arguments.word("datatype")));
}

bool is_same(const std::weak_ptr<const CommShared>& a, const std::weak_ptr<const CommShared>& b)
{
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

void RankChecks::check_collective(const Call& call, const CallPlan& plan)
{
  Communicator* const comm = comm_of(call);
  if (!comm) return;
  const Arguments arguments(state_, call);
  check::CollectiveCall made;
  made.name = plan.collective;
  made.is_last = made.name == "MPI_Comm_free" || made.name == "MPI_Comm_disconnect";
  made.rule = plan.rule;
  if (made.name == "MPI_Win_fence") made.assertions = common_assertions(arguments.word("assert"));
  bool right = true;
  // Between two groups only the calls are compared.
  if (!comm->is_inter()) {
    if (arguments.has("root")) {
      made.root = static_cast<int>(arguments.word("root"));
      right = made.root >= 0 && made.root < comm->size();
    }
    if (arguments.has("op")) {
      const Ref<Op>* const op =
          state_.ops.look_up(state_.ops.make(static_cast<std::uintptr_t>(arguments.word("op"))));
      right = right && op;
      if (op) made.op = static_cast<int>((*op)->kind());
    }
    switch (plan.pattern) {
      case CollectivePattern::none:
      case CollectivePattern::order:
      case CollectivePattern::neighbor_allgather:
      case CollectivePattern::neighbor_alltoall:
        break;
      case CollectivePattern::bcast:
        right = right && fill_bcast(made, arguments, *comm);
        break;
      case CollectivePattern::gather:
        right = right && fill_rooted(made, arguments, *comm, true);
        break;
      case CollectivePattern::scatter:
        right = right && fill_rooted(made, arguments, *comm, false);
        break;
      case CollectivePattern::allgather:
        right = right && fill_mutual(made, arguments, *comm, true);
        break;
      case CollectivePattern::alltoall:
        right = right && fill_mutual(made, arguments, *comm, false);
        break;
      case CollectivePattern::operands:
        right = right && fill_operands(made, arguments, *comm);
        break;
    }
  }
  if (!right) return;
  compare(*comm, std::move(made), *record(call));
}

// Threads order the collective calls on a communicator themselves, and it is not used by two at once (§6.14).
void RankChecks::check_other_threads(const Call& call, Open& open)
{
  const Communicator* const comm = comm_of(call);
  if (!comm) return;
  open.collective = comm->shared_part();
  if (!state_.rank.concurrent()) return;
  const auto other = std::ranges::find_if(open_, [&](const Open& known) {
    return is_same(known.collective, open.collective) && pthread_equal(known.thread, open.thread) == 0;
  });
  if (other != open_.end())
    report(check::Finding::Weight::error,
           "two threads are in collective calls on one communicator, window or file at once", "MPI 5.0 §11.6",
           record(call).get(), record(*other->call).get());
}

void RankChecks::compare(Communicator& comm, check::CollectiveCall made, const RecordedCall& own)
{
  made.call = Ref<const RecordedCall>(own);
  state_.rank.job.checks->collectives.add(comm, std::move(made), [&](const check::Mismatch& mismatch) {
    report(check::Finding::Weight::error, mismatch.what, mismatch.rule, &own, mismatch.other.get());
  });
}

// The call that closes MPI here comes after all collectives of all members: also nonblocking ones that only
// some have started, whose others need not have waited.
void RankChecks::compare_last(Communicator& comm, const CallRecord& own)
{
  check::CollectiveCall made;
  made.name = own.function().name;
  made.is_last = true;
  if (comm.shared().members() > 1) compare(comm, std::move(made), own);
}

void RankChecks::world_closes()
{
  const auto* const call = static_cast<const Call*>(current_call());
  if (!call) return;
  const Holder guard(lock_);
  compare_last(*state_.rank.comm->world, *record(*call));
}

void RankChecks::collectives_end()
{
  const auto* const call = static_cast<const Call*>(current_call());
  if (!call) return;
  const CallRecordRef own = record(*call);
  state_.comms.for_each([&](MPI_Comm, const CommRef& comm) { compare_last(*comm, *own); });
}

}  // namespace ranklet::api
