// ranklet::run in every way that the standard leaves to an MPI (Options::every_way).
#include <memory>
#include <optional>

#include <ranklet/explore.hpp>

#include "api/testing/run.hpp"
#include "api/testing/run_ranks.hpp"
#include "explore/explorer.hpp"
#include "explore/script.hpp"

namespace ranklet::api {

Report run_every_way(int ranks, ranklet::detail::Body body, void* closure, const Options& options)
{
  constexpr long long most_runs = 200;
  constexpr double most_seconds = 30;
  struct Way {
    SendMode sends;
    CollectiveMode collectives;
  };
  constexpr Way ways[] = {{SendMode::automatic, CollectiveMode::automatic},
                          {SendMode::synchronise, CollectiveMode::synchronise},
                          {SendMode::buffer, CollectiveMode::loose}};
  std::optional<Report> as_it_is;
  for (const Way& way : ways) {
    Config settings = config();
    if (as_it_is) {
      settings.sends = way.sends;
      settings.collectives = way.collectives;
    }
    Report report = run_ranks(ranks, body, closure, options, nullptr, settings);
    if (!as_it_is)
      as_it_is = std::move(report);
    else if (!report.ok())
      return detail::ReportMaker::headed(std::move(report), "in the run with " + settings.portability());
    if (!as_it_is->ok()) return *as_it_is;
  }
  const Exploration all = detail::explore_ranks(ranks, body, closure, {options, most_runs, most_seconds, ""},
                                                detail::explore_layout);
  for (const Exploration::Group& failed : all.failures()) {
    Report report = run_ranks(ranks, body, closure, options,
                              std::make_shared<Explorer>(Script::of_token(failed.token), nullptr));
    if (!report.ok() && !report.timed_out())
      return detail::ReportMaker::headed(
          std::move(report),
          "in one way in which messages can match (ranklet::explore, replay: " + failed.token + ")");
  }
  return *as_it_is;
}

}  // namespace ranklet::api
