#include "litmus/synchronizations.hpp"

#include <stdexcept>
#include <string>

namespace ranklet::litmus {

using memmodel::Edge;

namespace {

// The edge of a row of the table: names here cannot promise other than the table.
Edge edge_of(std::string_view call, std::string_view condition)
{
  for (const memmodel::RuleRow& row : memmodel::rule_table())
    if (row.call == call && row.condition == condition) return row.edge;
  throw std::invalid_argument("no rule for " + std::string(call) + ", " + std::string(condition));
}

Thread between(std::string_view call, std::string_view condition)
{
  return model(edge_of(call, condition)).between;
}

constexpr std::string_view flush = "MPI_Win_flush, MPI_Win_flush_all",
                           flush_local = "MPI_Win_flush_local, MPI_Win_flush_local_all",
                           sync = "MPI_Win_sync", lock = "MPI_Win_unlock, MPI_Win_lock",
                           start = "MPI_Win_post, MPI_Win_start",
                           wait = "MPI_Win_complete, MPI_Win_wait or a successful MPI_Win_test",
                           with_asserts = "also with NOSTORE, NOPUT";

}  // namespace

const std::vector<Inline>& inline_synchronizations()
{
  static const std::vector<Inline> all{
      {"none", "nothing", {}},
      {"c11_acquire", "C11 acquire fence", {fence(Order::acquire)}},
      {"c11_release", "C11 release fence", {fence(Order::release)}},
      {"c11_acq_rel", "C11 acq_rel fence", {fence(Order::acq_rel)}},
      {"c11_seq_cst", "C11 seq_cst fence", {fence(Order::seq_cst)}},
      {"win_sync", "MPI_Win_sync", between(sync, "")},
      {"win_sync_rules", "MPI_Win_sync, rules only", between(sync, "info ranklet_win_sync=rules")},
      {"win_flush", "put/get, MPI_Win_flush", between(flush, "")},
      {"win_flush_all", "put/get, MPI_Win_flush_all", between(flush, "")},
      {"win_flush_local", "put/get, MPI_Win_flush_local", between(flush_local, "")},
  };
  return all;
}

const std::vector<Directed>& directed_synchronizations()
{
  const Edge barrier = edge_of("MPI_Barrier, MPI_Win_free", "few ranks, or ranks with cores of their own");
  static const std::vector<Directed> all{
      {"polled", "a polled variable", Edge::none},
      {"c11_polled", "a polled variable, C11 release and acquire", Edge::publication},
      {"message", "MPI_Send, MPI_Recv", edge_of("MPI_Send, MPI_Recv, and all other messages", "")},
      {"barrier", "MPI_Barrier", barrier},
      {"sync_polled", "MPI_Win_sync, a polled variable, MPI_Win_sync", edge_of(sync, "")},
      {"sync_message", "MPI_Win_sync, a message, MPI_Win_sync", edge_of(sync, "")},
      {"sync_barrier", "MPI_Win_sync, MPI_Barrier, MPI_Win_sync", edge_of(sync, "")},
      {"flush_sync", "MPI_Win_flush, a polled variable, MPI_Win_sync", edge_of(flush, "")},
      {"flush_all_sync", "MPI_Win_flush_all, a polled variable, MPI_Win_sync", edge_of(flush, "")},
      {"fence", "MPI_Win_fence", edge_of("MPI_Win_fence", "also with NOSTORE, NOPUT, NOSUCCEED")},
      {"fence_noprecede", "MPI_Win_fence(NOPRECEDE), to an operation", edge_of("MPI_Win_fence", "NOPRECEDE")},
      {"post_start", "MPI_Win_post, MPI_Win_start", edge_of(start, with_asserts)},
      {"complete_wait", "MPI_Win_complete, MPI_Win_wait", edge_of(wait, "")},
      {"exclusive_exclusive", "unlock (exclusive), lock (exclusive)",
       edge_of(lock, "exclusive, then either")},
      {"exclusive_shared", "unlock (exclusive), lock (shared)", edge_of(lock, "exclusive, then either")},
      {"exclusive_all", "unlock (exclusive), lock_all",
       edge_of("MPI_Win_unlock, MPI_Win_lock_all", "exclusive")},
      {"shared_exclusive", "unlock (shared), lock (exclusive)", edge_of(lock, "shared, then exclusive")},
      {"shared_shared", "unlock (shared), lock (shared)", edge_of(lock, "shared, then shared")},
      {"all_exclusive", "unlock_all, lock (exclusive)",
       edge_of("MPI_Win_unlock_all, MPI_Win_lock", "then exclusive")},
  };
  return all;
}

Expectation expectation(const Shape& shape, const Inline& synchronization)
{
  const Instance made = instance(shape, synchronization.between);
  return {explore(made.program, made.weak.observed).outcomes, made.weak.values};
}

Expectation expectation(memmodel::Rule rule, const Directed& synchronization)
{
  const Question q = question(model(synchronization.edge), rule, Order::relaxed);
  return {explore(q.program, q.forbidden.observed).outcomes, q.forbidden.values};
}

}  // namespace ranklet::litmus
