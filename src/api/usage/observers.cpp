#include "api/usage/observers.hpp"

#include <memory>
#include <optional>

#include "api/usage/narrator.hpp"
#include "api/usage/rank_checks.hpp"
#include "base/sanitizer_runtime.hpp"
#include "explore/delays.hpp"

namespace ranklet::api {
class DelayedCalls final : public CallObserver {
 public:
  DelayedCalls(std::uint64_t seed, int rank) noexcept : delays_(seed, rank) {}

  void enter(const Call&, bool needs_mpi) override
  {
    if (needs_mpi) delays_.next();
  }
  void leave(const Call&, bool) noexcept override {}

 private:
  Delays delays_;
};

struct Observers {
  std::optional<Narrator> narrator;
  std::optional<RankChecks> checks;
  std::optional<DelayedCalls> delays;
};

const CheckHooks* call_hooks(bool checks) noexcept
{
  return checks ? &RankChecks::hooks : threads_are_watched() ? &Narrator::hooks : nullptr;
}

bool are_checked(const JobOptions& options) noexcept
{
  return options.checks == &RankChecks::hooks;
}

void thread_ends() noexcept
{
  const Rank* const rank = current_rank();
  if (rank && rank->api && rank->api->narrator) rank->api->narrator->thread_ends();
}

Extension observers_extension() noexcept
{
  return {
      .create =
          [](Rank& rank) {
            const JobOptions& options = rank.job.options();
            RankState& state = *rank.api;
            if (!options.checks && !options.delays) return;
            auto made = std::make_unique<Observers>();
            // The tool's narrator is the first, so that it hides what the others do. That of the clocks comes
            // behind the checks: what a call completes is so before others are told to go on.
            if (threads_are_watched())
              state.observe(made->narrator.emplace(state, make_tool_detector(rank)));
            if (are_checked(options)) state.observe(made->checks.emplace(state));
            if (made->checks && !made->narrator)
              state.observe(made->narrator.emplace(state, make_clock_detector(rank)));
            if (options.delays)
              state.observe(
                  made->delays.emplace(static_cast<std::uint64_t>(*options.delays), rank.world_rank));
            if (made->narrator) state.narrator = &*made->narrator;
            if (made->checks) state.checks = &*made->checks;
            state.own_observers = made.release();
          },
      .destroy =
          [](Rank& rank) noexcept {
            rank.api->checks = nullptr;
            rank.api->narrator = nullptr;
            delete rank.api->own_observers;
            rank.api->own_observers = nullptr;
          },
  };
}

}  // namespace ranklet::api
