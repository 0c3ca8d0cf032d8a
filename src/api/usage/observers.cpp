#include "api/usage/observers.hpp"

#include <memory>
#include <optional>

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

// Tells ThreadSanitizer, where it watches programs but not this library, how calls order the ranks.
class OrderedCalls final : public CallObserver {
 public:
  explicit OrderedCalls(Job& job) noexcept : job_(job) {}

  void enter(const Call&, bool needs_mpi) override
  {
    if (needs_mpi) note_order_from(&job_);
  }
  // Any call that ends after another one began may have been ordered by it.
  void leave(const Call&, bool) noexcept override { note_order_to(&job_); }

 private:
  Job& job_;
};

struct Observers {
  std::optional<RankChecks> checks;
  std::optional<OrderedCalls> order;
  std::optional<DelayedCalls> delays;
};

Extension observers_extension() noexcept
{
  return {
      .create =
          [](Rank& rank) {
            const JobOptions& options = rank.job.options();
            RankState& state = *rank.api;
            if (!options.checks && !options.delays && !threads_are_watched()) return;
            auto made = std::make_unique<Observers>();
            if (options.checks) state.observe(made->checks.emplace(state));
            if (threads_are_watched()) state.observe(made->order.emplace(rank.job));
            if (options.delays)
              state.observe(
                  made->delays.emplace(static_cast<std::uint64_t>(*options.delays), rank.world_rank));
            if (made->checks) state.checks = &*made->checks;
            state.own_observers = made.release();
          },
      .destroy =
          [](Rank& rank) noexcept {
            rank.api->checks = nullptr;
            delete rank.api->own_observers;
            rank.api->own_observers = nullptr;
          },
  };
}

}  // namespace ranklet::api
