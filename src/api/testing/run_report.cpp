// What a run tells afterwards.
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "api/testing/run.hpp"
#include "base/wording.hpp"
#include "p2p/p2p.hpp"

namespace ranklet {

namespace api {
namespace {

template <typename Kind>
void count_living(HandleTable<Kind>& table, std::vector<std::string>& leaks)
{
  const std::uint32_t number = table.living();
  if (number == 0) return;
  const bool request = std::is_same_v<Kind, RequestHandle>;
  leaks.push_back(std::to_string(number) + " " + Kind::what + (number == 1 ? " was" : "s were") +
                  (request ? " neither completed nor freed" : " not freed"));
}

std::string type_name(const std::type_info& type)
{
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type.name();
}

}  // namespace

Finding& Run::add_finding(Finding::Kind kind, int rank, std::string what)
{
  Finding& finding = maker_.findings().emplace_back();
  finding.kind = kind;
  finding.rank = rank;
  finding.what = std::move(what);
  return finding;
}

Report Run::report(std::chrono::nanoseconds time)
{
  for (const check::Finding& found : job_.findings.take()) {
    Finding::Kind kind = Finding::Kind::check;
    if (found.weight == check::Finding::Weight::leak) kind = Finding::Kind::leak;
    if (found.weight == check::Finding::Weight::advice) kind = Finding::Kind::advice;
    add_finding(kind, found.rank, text(found)).place = found.place;
  }
  for (int i = 0; i < job_.size(); ++i) {
    RunMember& each = member(i);
    for (std::string& leak : each.leaks) add_finding(Finding::Kind::leak, i, std::move(leak));
    if (!options_.checks && !job_.cancelled() && p2p::has_unreceived(job_.rank(i)))
      add_finding(Finding::Kind::leak, i, "a message was sent to this rank, but not received");
    RankResult& result = each.result;
    result.counts = {static_cast<std::uint64_t>(each.tally.calls.value()),
                     static_cast<std::uint64_t>(each.tally.messages.value()),
                     static_cast<std::uint64_t>(each.tally.bytes.value())};
    if (each.output) result.output = each.output->str();
    maker_.ranks().push_back(std::move(result));
  }
  return maker_.finish(time, options_.leaks);
}

std::vector<std::string> leaks_of(RankState& state)
{
  std::vector<std::string> leaks;
  count_living(state.requests, leaks);
  count_living(state.messages, leaks);
  count_living(state.comms, leaks);
  count_living(state.groups, leaks);
  count_living(state.types, leaks);
  count_living(state.ops, leaks);
  count_living(state.wins, leaks);
  count_living(state.files, leaks);
  count_living(state.sessions, leaks);
  count_living(state.infos, leaks);
  count_living(state.errhandlers, leaks);
  return leaks;
}

std::string describe_current_exception()
{
  const std::type_info* const type = abi::__cxa_current_exception_type();
  const std::string name = type ? type_name(*type) : "an exception";
  try {
    throw;
  } catch (const std::exception& exception) {
    return name + ": " + exception.what();
  } catch (const std::string& text) {
    return name + ": " + text;
  } catch (const char* text) {
    return name + ": " + text;
  } catch (...) {
    return name;
  }
}

}  // namespace api

namespace detail {
namespace {

std::string duration_text(std::chrono::nanoseconds time)
{
  const double microseconds = static_cast<double>(time.count()) / 1000;
  char text[40];
  if (microseconds < 1000)
    std::snprintf(text, sizeof text, "%.0f us", microseconds);
  else if (microseconds < 1e6)
    std::snprintf(text, sizeof text, "%.1f ms", microseconds / 1000);
  else
    std::snprintf(text, sizeof text, "%.2f s", microseconds / 1e6);
  return text;
}

std::string rank_line(const RankResult& result, int rank)
{
  const std::string name = "rank " + std::to_string(rank);
  switch (result.end) {
    case RankResult::End::returned:
      return result.code == 0 ? "" : name + " returned " + std::to_string(result.code) + "\n";
    case RankResult::End::threw:
      return name + " threw " + result.what + "\n";
    case RankResult::End::aborted:
      // A report of several lines names the rank itself.
      return result.what.find('\n') != result.what.npos ? result.what : name + " " + result.what + "\n";
    case RankResult::End::stopped:
      break;
  }
  return "";
}

}  // namespace

Report ReportMaker::finish(std::chrono::nanoseconds time, bool leaks_count)
{
  report.time_ = time;
  const bool all_returned = std::ranges::all_of(ranks(), [](const RankResult& rank) {
    return rank.end == RankResult::End::returned && rank.code == 0;
  });
  report.ok_ =
      all_returned && std::ranges::all_of(findings(), [&](const Finding& finding) {
        return finding.kind == Finding::Kind::advice || (finding.kind == Finding::Kind::leak && !leaks_count);
      });

  const Counts counts = report.counts();
  std::string text = counted(ranks().size(), "rank") + (report.ok_ ? ", " : " failed: ") +
                     duration_text(time) + ", " + counted(counts.calls, "call") + ", " +
                     counted(counts.messages, "message") + " of " + counted(counts.bytes, "byte") + "\n";
  // What ended the run first, then what followed from it.
  const int first = report.first_failure_;
  if (first >= 0) text += rank_line(report.rank(first), first);
  for (const Finding& finding : findings()) {
    if (finding.kind == Finding::Kind::error) continue;  // told with its rank
    if (finding.rank >= 0) text += "rank " + std::to_string(finding.rank) + ": ";
    text += finding.what;
    if (!finding.what.ends_with('\n')) text += finding.place.empty() ? "\n" : " (" + finding.place + ")\n";
  }
  for (std::size_t i = 0; i < ranks().size(); ++i)
    if (static_cast<int>(i) != first) text += rank_line(ranks()[i], static_cast<int>(i));
  std::string stopped;
  for (std::size_t i = 0; i < ranks().size(); ++i)
    if (ranks()[i].end == RankResult::End::stopped)
      stopped += (stopped.empty() ? "" : ", ") + std::to_string(i);
  if (!stopped.empty()) text += "stopped for that: " + stopped + "\n";
  for (std::size_t i = 0; i < ranks().size(); ++i)
    if (!ranks()[i].output.empty())
      text += "output of rank " + std::to_string(i) + "\n" + indented(ranks()[i].output, "  | ");
  report.text_ = std::move(text);
  return std::move(report);
}

Report ReportMaker::headed(Report report, const std::string& line)
{
  report.text_ = line + "\n" + report.text_;
  return report;
}

}  // namespace detail
}  // namespace ranklet
