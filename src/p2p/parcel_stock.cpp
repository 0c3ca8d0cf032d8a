#include "p2p/parcel_stock.hpp"

#include <new>
#include <utility>

#include "base/memory.hpp"

namespace ranklet::p2p {

// Nobody else refers to it any more.
ParcelStock::~ParcelStock() RANKLET_UNCHECKED
{
  free_all(take_all());
  free_all(leaving_.first);
  free_all(handed_back_.take_all());
}

void* ParcelStock::take(std::size_t size) noexcept
{
  if (!is_kept(size)) return nullptr;
  const Section guard(rank_, lock_);
  Block*& first = of(size);
  Block* const block = first;
  if (!block) return nullptr;
  first = block->next;
  kept_ -= size;
  return block;
}

void* ParcelStock::take(std::size_t size, ParcelStock& receiver) noexcept
{
  void* const own = take(size);
  if (own || !is_kept(size) || receiver.handed_back_.looks_empty()) return own;
  {
    Block* block = receiver.handed_back_.take_all();
    const Section guard(rank_, lock_);
    while (block) keep(*std::exchange(block, block->next));
  }
  return take(size);
}

bool ParcelStock::give(void* memory, std::size_t size) noexcept
{
  if (!is_kept(size)) return false;
  Block* surplus = nullptr;
  {
    const Section guard(rank_, lock_);
    Block& block = *new (memory) Block{nullptr, size};
    const bool is_full = kept_ + size > most_own;
    if (is_full && of(size)) {
      surplus = hand_back(block);
    } else {
      if (is_full) surplus = take_all();
      keep(block);
    }
  }
  free_all(surplus);
  return true;
}

void ParcelStock::keep(Block& block) noexcept
{
  block.next = std::exchange(of(block.size), &block);
  kept_ += block.size;
}

ParcelStock::Block* ParcelStock::hand_back(Block& block) noexcept
{
  block.next = std::exchange(leaving_.first, &block);
  if (!leaving_.last) leaving_.last = &block;
  leaving_.bytes += block.size;
  if (++leaving_.number < most_leaving && leaving_.bytes < most_own) return nullptr;
  const Leaving all = std::exchange(leaving_, {});
  if (handed_back_.looks_empty()) put_ = 0;
  if (put_ + all.bytes > most_handed_back) return all.first;
  put_ += all.bytes;
  handed_back_.put(*all.first, *all.last);
  return nullptr;
}

ParcelStock::Block* ParcelStock::take_all() noexcept
{
  Block* all = nullptr;
  for (Block*& first : first_)
    while (first) {
      Block* const block = std::exchange(first, first->next);
      block->next = all;
      all = block;
    }
  kept_ = 0;
  return all;
}

void ParcelStock::free_all(Block* first) noexcept
{
  while (first) free_shared(std::exchange(first, first->next));
}

}  // namespace ranklet::p2p
