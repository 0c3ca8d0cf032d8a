#include "ranks/findings.hpp"

#include <algorithm>
#include <utility>

namespace ranklet::check {

std::string text(const Finding& finding)
{
  std::string text;
  switch (finding.weight) {
    case Finding::Weight::error:
      text = "usage error: ";
      break;
    case Finding::Weight::leak:
      text = "leak: ";
      break;
    case Finding::Weight::advice:
      text = "advice: ";
      break;
  }
  text += finding.what;
  const auto line = [&](const char* title, const std::string& value) {
    if (!value.empty()) text += std::string("\n  ") + title + value;
  };
  line("rule          ", finding.rule);
  line("rank          ", std::to_string(finding.rank) +
                             (finding.world > 1 ? " of world " + std::to_string(finding.world) : ""));
  line("call          ", finding.call);
  line("place         ", finding.place);
  line("other party   ", finding.other);
  return text + "\n";
}

void Findings::add(Finding finding)
{
  {
    const Holder guard(lock_);
    const auto same = std::ranges::find_if(findings_, [&](const Finding& known) {
      return known.rank == finding.rank && known.world == finding.world && known.rule == finding.rule &&
             known.place == finding.place && !known.place.empty() && known.weight == finding.weight;
    });
    if (same != findings_.end()) {
      ++same->times;
      return;
    }
    findings_.push_back(finding);
  }
  if (on_first_) on_first_(finding);
}

std::vector<Finding> Findings::all() const
{
  const Holder guard(lock_);
  return findings_;
}

std::vector<Finding> Findings::take()
{
  const Holder guard(lock_);
  return std::exchange(findings_, {});
}

int Findings::count(Finding::Weight weight) const
{
  const Holder guard(lock_);
  return static_cast<int>(std::ranges::count(findings_, weight, &Finding::weight));
}

}  // namespace ranklet::check
