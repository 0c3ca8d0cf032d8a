// Blocks of memory in which two members give each other something, again and again: who has read a block that
// the other has written owns it from then on, and writes there what it gives next. So nobody waits until a
// block is free, and who writes has the block's lines, as it has read them last.
//
// A swap is for members both of whom give, and read. Where one of them fails it is not known any more who
// owns what: it forgets its block, and makes another one.
//
// Thread safety: a member's functions are called by one of its threads at a time; different members at once.
// Invariants:
//  1. A block has one owner, who alone writes it. It changes hands when the other member, having read it,
//     swaps. What the new owner writes there is behind what the old one wrote: the release and acquire that
//     have shown it the block (a cell's turn) order the two.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

template <class Block, class Sys = memmodel::Native>
class SwappedBlocks {
 public:
  // The member's. Errors: std::bad_alloc.
  Block& mine(int member)
  {
    Block*& block = of(member);
    if (!block) [[unlikely]]
      block = &make();
    return *block;
  }
  // For a member that has shown its own, and has read theirs.
  void swap(int member, Block& theirs) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return of(member) && of(member) != &theirs; },
                                "a block has one owner (1)");
    of(member) = &theirs;
  }
  void forget(int member) noexcept { of(member) = nullptr; }

 private:
  struct alignas(64) Mine {
    Block* block = nullptr;
  };

  Block*& of(int member) noexcept { return mine_[static_cast<std::size_t>(member)].block; }
  Block& make()
  {
    auto made = std::make_unique_for_overwrite<Block>();
    const Holder guard(lock_);
    all_.push_back(std::move(made));
    return *all_.back();
  }

  std::array<Mine, 2> mine_;
  memmodel::SpinLock<Sys> lock_;
  std::vector<std::unique_ptr<Block>> all_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::members
