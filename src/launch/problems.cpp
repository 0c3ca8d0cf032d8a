#include "launch/problems.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/wording.hpp"
#include "launch/rank_ends.hpp"

namespace ranklet::launch {
namespace {

// The places that a report names at the ends of its lines, "halo.c:17".
std::string places(const std::string& report)
{
  std::set<std::string> found;
  std::istringstream stream(report);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t at = line.rfind(" at ");
    if (at == line.npos) continue;
    const std::string place = line.substr(at + 4);
    if (place.find(' ') == place.npos && place.find(':') != place.npos) found.insert(place);
  }
  std::string text;
  for (const std::string& place : found) text += place + " ";
  return text;
}

}  // namespace

Problems::Problem& Problems::find(Kind kind, const std::string& key, const std::string& text,
                                  const std::string& way)
{
  auto found = std::ranges::find_if(
      list_, [&](const Problem& known) { return known.kind == kind && known.key == key; });
  if (found == list_.end()) {
    list_.push_back({kind, key, text, {}, {}, {}});
    found = list_.end() - 1;
  }
  if (std::ranges::find(found->ways, way) == found->ways.end()) found->ways.push_back(way);
  return *found;
}

void Problems::add(const check::Finding& finding, const std::string& way)
{
  const Kind kind = finding.weight == check::Finding::Weight::error  ? Kind::error
                    : finding.weight == check::Finding::Weight::leak ? Kind::leak
                                                                     : Kind::advice;
  const std::string key = finding.what + "\n" + finding.rule + "\n" + finding.place + "\n" +
                          (finding.place.empty() ? std::to_string(finding.rank) : "") + "\n" +
                          std::to_string(finding.world);
  Problem& problem = find(kind, key, check::text(finding), way);
  if (std::ranges::find(problem.ranks, finding.rank) != problem.ranks.end()) return;
  problem.ranks.push_back(finding.rank);
  findings_.push_back(finding);
}

void Problems::add_failure(const std::string& what, const std::string& report, const std::string& way,
                           const std::string& again, bool shown)
{
  Problem& problem =
      find(Kind::failure, what + "\n" + places(report),
           "the job fails: " + what + (shown ? ", as above\n" : "\n" + indented(report, "  ")), way);
  if (problem.again.empty()) problem.again = again.empty() ? way : again;
}

int Problems::count(std::string_view way) const
{
  return static_cast<int>(std::ranges::count_if(list_, [&](const Problem& problem) {
    return std::ranges::find(problem.ways, way) != problem.ways.end();
  }));
}

int Problems::errors() const
{
  return static_cast<int>(
      std::ranges::count_if(list_, [](const Problem& problem) { return problem.kind != Kind::advice; }));
}

std::string Problems::text() const
{
  std::string text;
  std::vector<const Problem*> sorted;
  for (const Problem& problem : list_) sorted.push_back(&problem);
  std::ranges::stable_sort(sorted, {}, [](const Problem* problem) { return problem->kind; });
  int number = 0;
  for (const Problem* const problem : sorted) {
    text += std::to_string(++number) + ". " + problem->text;
    if (problem->ranks.size() > 1) {
      std::vector<int> others(problem->ranks.begin() + 1, problem->ranks.end());
      std::ranges::sort(others);
      text +=
          std::string("  also on ") + (others.size() > 1 ? "ranks " : "rank ") + ranges_text(others) + "\n";
    }
    text += "  seen with     ";
    for (const std::string& way : problem->ways) text += (&way == problem->ways.data() ? "" : ", ") + way;
    text += "\n";
    if (!problem->again.empty() && problem->again != problem->ways[0])
      text += "  again with    " + problem->again + "\n";
  }
  return text;
}

}  // namespace ranklet::launch
