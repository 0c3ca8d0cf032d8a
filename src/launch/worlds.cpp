#include "launch/worlds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ranklet::launch {

void Worlds::End::add(const World& world)
{
  words += world.last_words();
  if (code == 0) code = world.code();
}

void Worlds::add(std::shared_ptr<World> world)
{
  const Holder guard(mutex_);
  if (world->guest() != 0) guests_.insert(world->guest());
  worlds_.push_back(std::move(world));
}

int Worlds::new_number()
{
  const Holder guard(mutex_);
  return ++last_number_;
}

Worlds::List Worlds::list() const
{
  const Holder guard(mutex_);
  return worlds_;
}

Worlds::List Worlds::of(int guest) const
{
  List own = list();
  std::erase_if(own, [guest](const auto& world) { return world->guest() != guest; });
  return own;
}

std::shared_ptr<World> Worlds::running() const
{
  const List all = list();
  const auto found = std::ranges::find_if(all, [](const auto& world) { return !world->is_over(); });
  return found != all.end() ? *found : nullptr;
}

int Worlds::ranks() const
{
  int total = 0;
  for (const auto& world : list()) total += world->size();
  return total;
}

void Worlds::pass_on_cpus(World& ended)
{
  const Holder guard(mutex_);
  ended.give_up_cpus();
  for (const auto& world : worlds_)
    if (!world->is_over()) world->look_for_cpus();
}

std::vector<int> Worlds::forget_past()
{
  List past;
  std::vector<int> empty;
  {
    const Holder guard(mutex_);
    const auto first = std::stable_partition(worlds_.begin(), worlds_.end(),
                                             [](const auto& world) { return !world->is_past(); });
    std::move(first, worlds_.end(), std::back_inserter(past));
    worlds_.erase(first, worlds_.end());
    for (const auto& world : past) past_[world->guest()].add(*world);
    for (auto end = past_.begin(); end != past_.end();) {
      const int guest = end->first;
      const bool ended =
          guest != 0 && !guests_.contains(guest) &&
          std::ranges::none_of(worlds_, [&](const auto& world) { return world->guest() == guest; });
      if (ended) empty.push_back(guest);
      end = ended ? past_.erase(end) : std::next(end);
    }
  }
  return empty;  // the past ones go here, without the lock
}

Worlds::End Worlds::end_of(int guest) const
{
  const Holder guard(mutex_);
  End end;
  if (const auto past = past_.find(guest); past != past_.end()) end = past->second;
  for (const auto& world : worlds_)
    if (world->guest() == guest) end.add(*world);
  return end;
}

std::optional<Worlds::End> Worlds::guest_end(int guest)
{
  {
    const Holder guard(mutex_);
    // Only ranks that run start others.
    if (std::ranges::any_of(
            worlds_, [&](const auto& world) { return world->guest() == guest && !world->is_over(); }) ||
        guests_.erase(guest) == 0)
      return {};
  }
  return end_of(guest);
}

}  // namespace ranklet::launch
