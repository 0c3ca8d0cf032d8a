// ranklet-litmus-model: what the memory model says, for ranklet-litmus and for readers.
#include <cstdio>
#include <string>

#include "litmus/synchronizations.hpp"

namespace {

using namespace ranklet;
using namespace ranklet::litmus;

constexpr const char* usage =
    "usage: ranklet-litmus-model --verdicts | --table | --edges\n"
    "  --verdicts  for each litmus test, the outcomes that the memory model of C++20 allows\n"
    "  --table     the rules that each MPI synchronisation promises\n"
    "  --edges     the edges behind them as programs, and what breaks when a part is weakened\n";

constexpr memmodel::Rule directed_rules[] = {memmodel::Rule::write_read, memmodel::Rule::read_write,
                                             memmodel::Rule::write_write};

std::string text(const std::vector<int>& values)
{
  std::string all;
  for (const int value : values) all += (all.empty() ? "" : ",") + std::to_string(value);
  return all;
}

// A line of key=value, as the programs in bench/mpi print.
void print(std::string_view shape, std::string_view sync, const Expectation& expected)
{
  std::string allowed;
  for (const auto& outcome : expected.allowed) allowed += (allowed.empty() ? "" : ";") + text(outcome);
  std::printf("model shape=%.*s sync=%.*s verdict=%s weak=%s allowed=%s\n", static_cast<int>(shape.size()),
              shape.data(), static_cast<int>(sync.size()), sync.data(),
              name(expected.forbids_weak() ? Verdict::forbidden : Verdict::allowed),
              text(expected.weak).c_str(), allowed.c_str());
}

void print_verdicts()
{
  for (const Shape& shape : shapes())
    for (const Inline& s : inline_synchronizations()) print(shape.name, s.name, expectation(shape, s));
  for (const memmodel::Rule rule : directed_rules)
    for (const Directed& s : directed_synchronizations())
      print(memmodel::name(rule), s.name, expectation(rule, s));
}

void print_rules(const EdgeModel& edge)
{
  for (const memmodel::Rule rule : memmodel::all_rules) {
    const Question q = question(edge, rule, Order::plain);
    std::printf(" %s %s", memmodel::name(rule), name(verdict(q.program, q.forbidden)));
  }
  std::printf("\n");
}

void print_edges()
{
  using memmodel::Edge;
  for (const Edge edge : {Edge::none, Edge::publication, Edge::barrier, Edge::counting,
                          Edge::exclusive_unlock, Edge::shared_unlock, Edge::full_fence, Edge::rules_fence}) {
    const EdgeModel whole = model(edge);
    std::printf("%s\n%s", memmodel::name(edge),
                text(question(whole, memmodel::Rule::write_read, Order::plain).program).c_str());
    std::printf("  whole:");
    print_rules(whole);
    for (const Cut& cut : whole.cuts) {
      std::printf("  without %.*s:", static_cast<int>(cut.what.size()), cut.what.data());
      print_rules(whole.with(cut));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv)
{
  const std::string option = argc == 2 ? argv[1] : "";
  if (option == "--verdicts")
    print_verdicts();
  else if (option == "--table")
    std::fputs(memmodel::rule_table_markdown().c_str(), stdout);
  else if (option == "--edges")
    print_edges();
  else {
    std::fputs(usage, option == "--help" ? stdout : stderr);
    return option == "--help" ? 0 : 2;
  }
  return 0;
}
