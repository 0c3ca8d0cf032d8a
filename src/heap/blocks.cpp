#include "heap/blocks.hpp"

#include <algorithm>

namespace ranklet::heap {

void Blocks::add(std::uintptr_t begin, std::size_t size)
{
  // A block of no bytes has an address of its own. Blocks that were there were freed in ways that were not
  // seen.
  const std::uintptr_t end = begin + std::max<std::size_t>(size, 1);
  auto next = blocks_.lower_bound(begin);
  if (next != blocks_.begin())
    if (const auto before = std::prev(next); before->second.begin + before->second.size > begin)
      next = before;
  while (next != blocks_.end() && next->first < end) next = blocks_.erase(next);
  blocks_.emplace(begin, Block{begin, size, false});
}

void Blocks::forget(std::uintptr_t begin)
{
  blocks_.erase(begin);
}

void Blocks::resize(std::uintptr_t begin, std::size_t size)
{
  if (const auto found = blocks_.find(begin); found != blocks_.end() && !found->second.freed)
    found->second.size = size;
}

bool Blocks::keep(std::uintptr_t begin)
{
  const auto found = blocks_.find(begin);
  if (found == blocks_.end() || found->second.size > most_bytes_kept_ / 8) return false;
  found->second.freed = true;
  kept_.push_back(found->second);
  bytes_kept_ += found->second.size;
  return true;
}

std::uintptr_t Blocks::let_go()
{
  if (kept_.size() <= most_kept_ && bytes_kept_ <= most_bytes_kept_) return 0;
  const Block oldest = kept_.front();
  kept_.pop_front();
  bytes_kept_ -= oldest.size;
  blocks_.erase(oldest.begin);
  return oldest.begin;
}

const Block* Blocks::find(std::uintptr_t address) const
{
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return nullptr;
  --found;
  return address - found->second.begin < found->second.size ? &found->second : nullptr;
}

}  // namespace ranklet::heap
