// Which order each synchronisation of MPI gives to accesses of window memory, call by call, as data: for the
// tests that prove it (tests/litmus), for ranklet-litmus, and for the table in docs/memory-model.md, which
// says why each row is as it is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ranklet::memmodel {

// For a synchronisation from rank P0 to rank P1, and locations A, B, C that both can access:
enum class Rule : std::uint8_t {
  write_read = 1,   // P0 stores A before it, P1 loads A after it: P1 sees the store
  read_write = 2,   // P0 loads B before it, P1 stores B after it: P0's load does not see that store
  write_write = 4,  // P0 stores C before it, P1 stores and then loads C after it: P1 loads its own value
  // Each stores its location, synchronises, and loads the other's: not both miss the store.
  store_load = 8,
};
inline constexpr Rule all_rules[] = {Rule::write_read, Rule::read_write, Rule::write_write, Rule::store_load};

const char* name(Rule rule);  // "write-read"

class Rules {
 public:
  constexpr Rules() = default;
  constexpr Rules(Rule rule) : bits_(static_cast<std::uint8_t>(rule)) {}
  friend constexpr Rules operator|(Rules a, Rules b)
  {
    a.bits_ |= b.bits_;
    return a;
  }
  constexpr bool has(Rule rule) const { return (bits_ & static_cast<std::uint8_t>(rule)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(Rules, Rules) = default;

 private:
  std::uint8_t bits_ = 0;
};

inline constexpr Rules no_rule{};
inline constexpr Rules three_rules = Rules(Rule::write_read) | Rule::read_write | Rule::write_write;
inline constexpr Rules four_rules = three_rules | Rule::store_load;

// The code that makes the order. src/litmus has each as events.
enum class Edge {
  none,
  publication,       // Sequence, Flag, Ring: release store, acquire load
  barrier,           // publication by every rank to every other
  counting,          // Counter: all count themselves in, the last one publishes
  exclusive_unlock,  // FairLock: leave(), then has_turn() or has_shared_turn()
  shared_unlock,     // FairLock: leave_shared(), then has_turn()
  full_fence,        // FenceWord::full(), full_before_leaving() on both sides of any way to learn of it
  rules_fence,       // FenceWord::order() likewise
};

const char* name(Edge edge);  // "release store, acquire load"

// Where the promise comes from: the text of the standard, or Ranklet, which promises more.
enum class Promise { standard, ranklet };

struct RuleRow {
  std::string_view call;       // "MPI_Win_post, MPI_Win_start"
  std::string_view condition;  // assertions, info keys; may be empty
  std::string_view from, to;   // whose accesses before, and whose after
  Rules rules;
  Edge edge;
  Promise promise;
  std::string_view section;  // of MPI 5.0
};

std::span<const RuleRow> rule_table();

// The table in the form of docs/memory-model.md.
std::string rule_table_markdown();

}  // namespace ranklet::memmodel
