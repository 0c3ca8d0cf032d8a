#include "launch/rank_ends.hpp"

#include <map>

namespace ranklet::launch {

bool RankEnds::ended(int rank, int code)
{
  const Holder guard(mutex_);
  int& place = codes_[static_cast<std::size_t>(rank)];
  if (place >= 0) return false;
  place = code & 0xff;
  if (place != 0 && first_failure_ == 0) first_failure_ = place;
  if (--running_ == 0) all_ended_.notify_all();
  return true;
}

bool RankEnds::is_running(int rank) const
{
  const Holder guard(mutex_);
  return codes_[static_cast<std::size_t>(rank)] < 0;
}

bool RankEnds::have_all() const
{
  const Holder guard(mutex_);
  return running_ == 0;
}

void RankEnds::wait_for_all()
{
  MutexHolder lock(mutex_);
  while (running_ > 0) lock.wait(all_ended_);
}

int RankEnds::job_code() const
{
  const Holder guard(mutex_);
  return first_failure_;
}

std::vector<std::string> RankEnds::lines(bool all, int world) const
{
  const Holder guard(mutex_);
  std::map<int, std::vector<int>> by_code;
  for (std::size_t rank = 0; rank < codes_.size(); ++rank)
    if (codes_[rank] > 0 || (all && codes_[rank] == 0))
      by_code[codes_[rank]].push_back(static_cast<int>(rank));
  std::vector<std::string> result;
  for (const auto& [code, ranks] : by_code)
    result.push_back((ranks.size() > 1 ? "ranks " : "rank ") + ranges_text(ranks) +
                     (world > 1 ? " of world " + std::to_string(world) : "") + " exited with code " +
                     std::to_string(code));
  return result;
}

std::string ranges_text(const std::vector<int>& sorted)
{
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(sorted[i]);
    if (last > i) text += "-" + std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace ranklet::launch
