#include "api/usage/detector.hpp"

#include "api/usage/seen.hpp"

namespace ranklet::api {

namespace {

class ToolDetector final : public Detector {
 public:
  explicit ToolDetector(const Rank& rank) noexcept : Detector(true), rank_(rank) {}

  bool is_told() const noexcept override { return true; }
  void call_begins() noexcept override { races::begin_unseen(); }
  void call_ends() noexcept override { races::end_unseen(); }

  void order_from(const check::Token& token) noexcept override
  {
    const Seen seen;
    races::order_from(&token);
  }
  void order_to(const check::Token& token) noexcept override
  {
    const Seen seen;
    races::order_to(&token);
  }
  void order_from_everything() noexcept override
  {
    const Seen seen;
    races::order_from(rank_.job.universe.get());
  }
  void order_to_everything() noexcept override
  {
    const Seen seen;
    races::order_to(rank_.job.universe.get());
  }

 private:
  const Rank& rank_;
};

class ClockDetector final : public Detector {
 public:
  explicit ClockDetector(const Rank& rank)
      : Detector(false),
        checks_(*rank.job.checks),
        clocks_(checks_.clocks),
        me_(rank.number),
        // Those who come from elsewhere need not be checked, so that not all is told; nor is what ranks tell each
        // other by variables.
        starts_(!rank.job.universe->takes_in_jobs && !rank.job.options().shares_variables)
  {
    clocks_.begins(me_);
  }

  bool is_told() const noexcept override { return clocks_.are_running(); }
  void window_is_made() noexcept override
  {
    if (starts_) clocks_.start();
  }

  void call_begins() noexcept override { clocks_.meets_sharers(me_); }
  void call_ends() noexcept override { clocks_.meets_sharers(me_); }

  void order_from(const check::Token& token) noexcept override { clocks_.from(me_, token); }
  void order_to(const check::Token& token) noexcept override { clocks_.to(me_, token); }
  void order_from_everything() noexcept override { clocks_.from(me_, checks_.everything); }
  void order_to_everything() noexcept override { clocks_.to(me_, checks_.everything); }

  void untold_begins() noexcept override { clocks_.order_before_all(me_); }
  void untold_ended() noexcept override { clocks_.order_after_all(me_); }

  void shares_memory(const Rank& rank) noexcept override { clocks_.share(rank.number); }

 private:
  check::JobChecks& checks_;
  check::Clocks& clocks_;
  const int me_;
  const bool starts_;
};

}  // namespace

std::unique_ptr<Detector> make_tool_detector(const Rank& rank)
{
  return std::make_unique<ToolDetector>(rank);
}

std::unique_ptr<Detector> make_clock_detector(const Rank& rank)
{
  return std::make_unique<ClockDetector>(rank);
}

}  // namespace ranklet::api
