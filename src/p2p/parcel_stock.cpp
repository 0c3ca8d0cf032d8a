#include "p2p/parcel_stock.hpp"

#include <new>
#include <utility>

#include "base/memory.hpp"

namespace ranklet::p2p {

// Nobody else refers to it any more.
ParcelStock::~ParcelStock() RANKLET_UNCHECKED
{
  free_all(take_all());
  free_all(take_back_all());
}

void* ParcelStock::take(std::size_t size) noexcept
{
  if (!is_kept(size)) return nullptr;
  const Section guard(rank_, lock_);
  return unkeep(size);
}

void* ParcelStock::take(std::size_t size, ParcelStock& receiver) noexcept
{
  void* const own = take(size);
  if (own || !is_kept(size) || &receiver == this) return own;
  Block* block = receiver.handed_back_[kind_of(size)].take_all();
  if (!block) return nullptr;
  Block* surplus = nullptr;
  Block* taken = nullptr;
  {
    const Section guard(rank_, lock_);
    if (bytes_kept_ + most_handed_back > most) surplus = take_all();
    std::int64_t bytes = 0;
    for (; block; bytes += static_cast<std::int64_t>(size)) keep(*std::exchange(block, block->next));
    receiver.bytes_handed_back_.add(-bytes);
    taken = unkeep(size);
  }
  free_all(surplus);
  return taken;
}

bool ParcelStock::give(void* memory, std::size_t size) noexcept
{
  if (!is_kept(size)) return false;
  Block* surplus = nullptr;
  {
    const Section guard(rank_, lock_);
    Block& block = *new (memory) Block{nullptr, size};
    if (bytes_kept_ + size > most) {
      surplus = take_all();
      keep(block);
    } else {
      keep(block);
      if (kept_[kind_of(size)].number >= own(size) + at_once(size)) surplus = hand_back(size);
    }
  }
  free_all(surplus);
  return true;
}

void ParcelStock::keep(Block& block) noexcept
{
  Kind& kind = kept_[kind_of(block.size)];
  block.next = std::exchange(kind.first, &block);
  ++kind.number;
  bytes_kept_ += block.size;
}

ParcelStock::Block* ParcelStock::unkeep(std::size_t size) noexcept
{
  Kind& kind = kept_[kind_of(size)];
  Block* const block = kind.first;
  if (!block) return nullptr;
  kind.first = block->next;
  --kind.number;
  bytes_kept_ -= size;
  return block;
}

ParcelStock::Block* ParcelStock::hand_back(std::size_t size) noexcept
{
  Block* const first = unkeep(size);
  Block* last = first;
  for (std::size_t i = 1; i < at_once(size); ++i) {
    last->next = unkeep(size);
    last = last->next;
  }
  last->next = nullptr;
  // Before they are put: whoever takes them subtracts.
  const auto bytes = static_cast<std::int64_t>(at_once(size) * size);
  memmodel::Pile<Block>& pile = handed_back_[kind_of(size)];
  Block* surplus = nullptr;
  if (bytes_handed_back_.add(bytes) > static_cast<std::int64_t>(most_handed_back)) {
    if (!pile.looks_empty()) {
      bytes_handed_back_.add(-bytes);
      return first;
    }
    surplus = take_back_all();
  }
  pile.put(*first, *last);
  return surplus;
}

ParcelStock::Block* ParcelStock::take_back_all() noexcept
{
  Block* all = nullptr;
  std::int64_t bytes = 0;
  for (auto& pile : handed_back_)
    for (Block* block = pile.take_all(); block;) {
      Block* const next = std::exchange(block->next, all);
      bytes += static_cast<std::int64_t>(block->size);
      all = std::exchange(block, next);
    }
  bytes_handed_back_.add(-bytes);
  return all;
}

ParcelStock::Block* ParcelStock::take_all() noexcept
{
  Block* all = nullptr;
  for (Kind& kind : kept_)
    while (Block* const block = kind.first) {
      kind.first = block->next;
      block->next = std::exchange(all, block);
    }
  kept_ = {};
  bytes_kept_ = 0;
  return all;
}

void ParcelStock::free_all(Block* first) noexcept
{
  while (first) free_shared(std::exchange(first, first->next));
}

}  // namespace ranklet::p2p
