#include "memmodel/rules.hpp"

#include <array>

namespace ranklet::memmodel {

namespace {

constexpr std::string_view members = "each member";
constexpr std::string_view holder = "the holder";
constexpr std::string_view operations = "the caller's operations at the target";
constexpr std::string_view learned = "whoever learns of it and then calls MPI_Win_sync, a flush or a lock";

// clang-format off
constexpr std::array table{
  // 12.2
  RuleRow{"MPI_Win_create and all that create windows", "", members, "each other member",
          four_rules, Edge::barrier, Promise::ranklet, "12.2"},
  // 12.5.1
  RuleRow{"MPI_Win_fence", "also with NOSTORE, NOPUT, NOSUCCEED", members, "each other member",
          four_rules, Edge::barrier, Promise::standard, "12.5.1"},
  RuleRow{"MPI_Win_fence", "NOPRECEDE", "the target of an operation, before its fence", "the operation's origin, from it on",
          three_rules, Edge::publication, Promise::standard, "12.5.1, 12.5.5"},
  RuleRow{"MPI_Win_fence", "NOPRECEDE and NOSUCCEED", members, "each other member",
          no_rule, Edge::none, Promise::standard, "12.5.5"},
  // 12.5.2
  RuleRow{"MPI_Win_post, MPI_Win_start", "also with NOSTORE, NOPUT", "the target that posts", "each origin that starts",
          three_rules, Edge::publication, Promise::standard, "12.5.2"},
  RuleRow{"MPI_Win_post, MPI_Win_start", "NOCHECK", "the target that posts", "each origin that starts",
          no_rule, Edge::none, Promise::standard, "12.5.5"},
  RuleRow{"MPI_Win_complete, MPI_Win_wait or a successful MPI_Win_test", "", "each origin that completes", "the target that waits",
          three_rules, Edge::publication, Promise::standard, "12.5.2"},
  // 12.5.3
  RuleRow{"MPI_Win_unlock, MPI_Win_lock", "exclusive, then either", holder, "every later holder",
          three_rules, Edge::exclusive_unlock, Promise::standard, "12.5.3"},
  RuleRow{"MPI_Win_unlock, MPI_Win_lock", "shared, then exclusive", holder, "every later exclusive holder",
          three_rules, Edge::shared_unlock, Promise::standard, "12.5.3"},
  RuleRow{"MPI_Win_unlock, MPI_Win_lock", "shared, then shared", holder, "other shared holders",
          no_rule, Edge::none, Promise::standard, "12.5.3"},
  RuleRow{"MPI_Win_unlock_all, MPI_Win_lock", "then exclusive", holder, "every later exclusive holder",
          three_rules, Edge::shared_unlock, Promise::standard, "12.5.3"},
  RuleRow{"MPI_Win_unlock, MPI_Win_lock_all", "exclusive", holder, "every later holder",
          three_rules, Edge::exclusive_unlock, Promise::standard, "12.5.3"},
  RuleRow{"MPI_Win_unlock, MPI_Win_lock, and their _all forms", "NOCHECK", holder, "every later holder",
          no_rule, Edge::none, Promise::standard, "12.5.5"},
  RuleRow{"MPI_Win_unlock, MPI_Win_unlock_all", "shared or NOCHECK", operations, learned,
          four_rules, Edge::full_fence, Promise::standard, "12.5.3"},
  // 12.5.4
  RuleRow{"MPI_Win_flush, MPI_Win_flush_all", "", operations, learned,
          four_rules, Edge::full_fence, Promise::standard, "12.5.4, 12.2.3"},
  RuleRow{"MPI_Win_flush_local, MPI_Win_flush_local_all", "", operations, "anybody",
          no_rule, Edge::none, Promise::standard, "12.5.4"},
  RuleRow{"MPI_Wait and the like on MPI_Rput, MPI_Raccumulate, MPI_Rget, MPI_Rget_accumulate", "", operations, "anybody",
          no_rule, Edge::none, Promise::standard, "12.3.5"},
  RuleRow{"MPI_Win_sync", "", "the caller", "whoever learns of it and then calls MPI_Win_sync",
          four_rules, Edge::full_fence, Promise::standard, "12.5.4, 12.7, 12.8"},
  RuleRow{"MPI_Win_sync", "info ranklet_win_sync=rules", "the caller", "whoever learns of it and then calls MPI_Win_sync",
          three_rules, Edge::rules_fence, Promise::ranklet, "-"},
  // Process synchronisation of other chapters, without a call on the window.
  RuleRow{"MPI_Send, MPI_Recv, and all other messages", "", "the sender", "the receiver, when the receive is complete",
          three_rules, Edge::publication, Promise::ranklet, "3"},
  RuleRow{"MPI_Barrier, MPI_Win_free", "few ranks, or ranks with cores of their own", members, "each other member",
          four_rules, Edge::barrier, Promise::ranklet, "6.3, 12.2.5"},
  RuleRow{"MPI_Barrier, MPI_Win_free", "more ranks than cores", members, "each other member",
          four_rules, Edge::counting, Promise::ranklet, "6.3, 12.2.5"},
  RuleRow{"other collectives", "", "who contributes data", "who gets a result of it",
          three_rules, Edge::publication, Promise::ranklet, "6"},
};
// clang-format on

}  // namespace

const char* name(Rule rule)
{
  switch (rule) {
    case Rule::write_read:
      return "write-read";
    case Rule::read_write:
      return "read-write";
    case Rule::write_write:
      return "write-write";
    case Rule::store_load:
      return "store-load";
  }
  return "?";
}

const char* name(Edge edge)
{
  switch (edge) {
    case Edge::none:
      return "none";
    case Edge::publication:
      return "release store, acquire load";
    case Edge::barrier:
      return "release stores, acquire loads of all others'";
    case Edge::counting:
      return "acq_rel count, release store, acquire load";
    case Edge::exclusive_unlock:
      return "release store of the lock's word, acquire load";
    case Edge::shared_unlock:
      return "release read-modify-write of the lock's word, acquire load";
    case Edge::full_fence:
      return "seq_cst fence";
    case Edge::rules_fence:
      return "acq_rel fence";
  }
  return "?";
}

std::span<const RuleRow> rule_table()
{
  return table;
}

std::string rule_table_markdown()
{
  std::string text =
      "| call | when | from | to | WR | RW | WW | SL | by | promised by | MPI 5.0 |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const RuleRow& row : table) {
    for (const std::string_view cell : {row.call, row.condition, row.from, row.to})
      text += "| " + std::string(cell) + (cell.empty() ? "" : " ");
    for (const Rule rule : all_rules) text += row.rules.has(rule) ? "| yes " : "| - ";
    text += std::string("| ") + name(row.edge);
    text += row.promise == Promise::standard ? " | the standard | " : " | Ranklet | ";
    text += std::string(row.section) + " |\n";
  }
  return text;
}

}  // namespace ranklet::memmodel
