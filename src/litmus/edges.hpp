// The edges of src/memmodel as events, and the question whether they keep a rule.
#pragma once

#include <string_view>
#include <vector>

#include "litmus/executions.hpp"
#include "memmodel/rules.hpp"

namespace ranklet::litmus {

// An edge made weaker at one place: a mutation that the checker must notice.
struct Cut {
  std::string_view what;
  int thread;  // 0: from, 1: to, 2 and up: others; between: what both ranks do in the store-load rule
  int op;
  Order weaker;  // a relaxed fence is none
  memmodel::Rules breaks = memmodel::three_rules;

  static constexpr int between = -1;
};

struct EdgeModel {
  std::vector<int> initial;  // its locations, numbered from 0
  Thread from, to;           // what the two ranks do between P0's access and P1's
  std::vector<Thread> others;
  Thread between;  // what each rank does between its store and its load, for the store-load rule; unless
  bool both_ways = false;  // from and to are what each of them does
  std::vector<Cut> cuts;

  EdgeModel with(const Cut& cut) const;
};

EdgeModel model(memmodel::Edge edge);

struct Question {
  Program program;
  Condition forbidden;  // by the rule
};

// `access`: how the ranks access the window. plain: a broken rule shows as a race, except store-load, whose
// accesses race by nature and are taken as relaxed.
Question question(const EdgeModel& edge, memmodel::Rule rule, Order access);

}  // namespace ranklet::litmus
