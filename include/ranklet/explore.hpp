// All ways in which the messages of a test can match: ranklet::explore runs a function on n ranks as
// ranklet::run does, once for every essentially different outcome of its wildcard receives and probes, of
// MPI_Waitany, MPI_Waitsome and tests, and says which runs fail, deadlock, or write something else to
// ranklet::out().
//
//     ranklet::Exploration all = ranklet::explore(3, [](int rank, int) { … });
//     CHECK_MESSAGE(all.ok(), all.text());
//
// The function must do the same in every run, as far as its messages are the same: what it keeps between runs
// is its own to reset. Broadcasts and their like are left as soon as the standard allows. A test that could
// find something also finds nothing, once in a row; MPI_Waitsome and MPI_Testsome complete all requests that
// they can, or any one of them alone. What is not covered text() says. A failed run has a token; explore with
// ExploreOptions::replay makes that run alone.
//
// Nothing is decided before all ranks' threads wait in MPI, so a rank that polls memory, a window or a file
// for what another one does after a wildcard receive polls until its run's time is over; tests and probes are
// no such polling. Ranks that only test, in vain, a thousand times and for three seconds, are a livelock.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <ranklet/run.hpp>

namespace ranklet {

struct ExploreOptions {
  Options run;                 // of each run; without a timeout it has a minute
  long long most_runs = 1000;  // 0: no limit
  double seconds = 0;          // no run begins later; 0: no limit
  std::string replay;          // a token: only this run
};

namespace detail {
struct ExploreLayout;
}

class Exploration {
 public:
  // Runs that fail alike, or that have the same result.
  struct Group {
    bool failed;
    std::string
        what;  // of a failure "deadlock" or its first line; else what the ranks wrote to ranklet::out()
    long long runs;
    std::string token;   // of the first of them
    std::string report;  // of that run
  };

  // No run has failed, and there was at least one.
  bool ok() const noexcept { return runs_ > 0 && failures().empty(); }
  explicit operator bool() const noexcept { return ok(); }
  long long runs() const noexcept { return runs_; }
  // Kinds of failures, and different results of runs that did not fail.
  std::vector<Group> failures() const { return groups(true); }
  std::vector<Group> results() const { return groups(false); }
  // Whether all outcomes were tried, but for what text() says; false for a replay, and where failed runs hid
  // what else could have come.
  bool complete() const noexcept { return complete_; }
  // All that, for people.
  const std::string& text() const noexcept { return text_; }

 private:
  friend struct ExplorationMaker;
  friend struct detail::ExploreLayout;
  std::vector<Group> groups(bool failed) const
  {
    std::vector<Group> found;
    for (const Group& group : groups_)
      if (group.failed == failed) found.push_back(group);
    return found;
  }

  long long runs_ = 0;
  bool complete_ = false;
  std::vector<Group> groups_;
  std::string text_;
};

namespace detail {
// As Layout is for run().
struct ExploreLayout {
  static constexpr std::uint64_t options() noexcept
  {
    return Layout::number({Layout::options(), sizeof(ExploreOptions), offsetof(ExploreOptions, run),
                           offsetof(ExploreOptions, most_runs), offsetof(ExploreOptions, seconds),
                           offsetof(ExploreOptions, replay)});
  }
  static constexpr std::uint64_t result() noexcept
  {
    using Group = Exploration::Group;
    return Layout::number(
        {sizeof(Exploration), offsetof(Exploration, runs_), offsetof(Exploration, complete_),
         offsetof(Exploration, groups_), offsetof(Exploration, text_), sizeof(Group), offsetof(Group, failed),
         offsetof(Group, what), offsetof(Group, runs), offsetof(Group, token), offsetof(Group, report)});
  }
};
constexpr std::uint64_t explore_layout = Layout::number({ExploreLayout::options(), ExploreLayout::result()});
[[gnu::visibility("default")]] Exploration explore_ranks(int ranks, Body body, void* closure,
                                                         const ExploreOptions& options,
                                                         std::uint64_t program_layout);
}  // namespace detail

// function and errors: as for run(). Also std::invalid_argument for a text that is no token.
template <class Function>
Exploration explore(int n, Function&& function, const ExploreOptions& options = ExploreOptions())
{
  using Callable = std::remove_reference_t<Function>;
  Callable* callable = &function;
  return detail::explore_ranks(
      n,
      [](void* closure, int rank, int size, int argc, char** argv) {
        return detail::call(**static_cast<Callable**>(closure), rank, size, argc, argv);
      },
      &callable, options, detail::explore_layout);
}

}  // namespace ranklet
