// The slots of a table of handles (handles.hpp). A handle is kind, generation and slot packed into a positive
// 32-bit number, so that Fortran's INTEGER handles are the same numbers:
//
//     bits 27-30 kind (1-15) | bits 20-26 generation | bits 0-19 slot
//
// Thread safety: finding never changes anything, and a slot never moves; whatever else is the table's
// Section. Invariants: a slot's `handle` is the value of the living handle, or with the bit `dead` that of
// the next one, or 0; free slots form a queue through `next`, so that a slot waits as long as it can before
// it is used again, and a handle that was kept by mistake is found out; slot numbers from used() on were
// never in use, and the first chunk is used up before a slot is used again.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

namespace ranklet::api {

inline constexpr unsigned slot_bits = 20;
inline constexpr unsigned generation_bits = 7;
inline constexpr std::uint32_t max_slots = 1u << slot_bits;

// Chunk c holds 1 << (first_chunk_bits + c) slots, so that slots stay where they are while there are more.
template <typename Owner, unsigned code, unsigned first_chunk_bits>
class Slots {
 public:
  struct Slot {
    Owner object{};
    std::uint32_t handle = 0;
    std::uint32_t next = 0;  // free slot: number + 1, 0 at the end
    bool is_alive() const noexcept { return handle != 0 && (handle & dead) == 0; }
  };

  static std::uint32_t number_of(std::uintptr_t handle) noexcept
  {
    return static_cast<std::uint32_t>(handle) & (max_slots - 1);
  }
  // The slot of a living handle; null for any other value.
  Slot* look_up(std::uintptr_t handle) noexcept
  {
    if (handle >> (slot_bits + generation_bits) != code) return nullptr;
    Slot* const slot = find(number_of(handle));
    return slot && slot->handle == handle ? slot : nullptr;
  }
  // The slot of a number; null if there is none yet.
  Slot* find(std::uint32_t number) noexcept
  {
    // Most programs have few handles of a kind.
    if (number < 1u << first_chunk_bits) [[likely]] {
      Slot* const chunk = chunks_[0].get();
      return chunk ? &chunk[number] : nullptr;
    }
    return find_far(number);
  }

  // A slot for an object, with a handle; null: there are too many.
  Slot* take(Owner object)
  {
    Slot* const slot = take_free();
    if (!slot) [[unlikely]]
      return nullptr;
    slot->object = std::move(object);
    slot->handle &= ~dead;
    ++living_;
    return slot;
  }
  // Ends the handle of a living slot; its object is returned.
  Owner give(Slot& slot, std::uint32_t number)
  {
    Owner object = std::exchange(slot.object, Owner{});
    slot.handle = dead | after(slot.handle);
    slot.next = 0;
    (free_ == 0 ? free_ : last_free_->next) = number + 1;
    last_free_ = &slot;
    --living_;
    return object;
  }

  // Calls visit(slot) for every living one until it returns true; whether it has.
  template <typename Visit>
  bool any_of(Visit&& visit)
  {
    for (std::uint32_t number = 0; number < used_; ++number) {
      Slot& slot = *find(number);
      if (slot.is_alive() && visit(slot)) return true;
    }
    return false;
  }

  std::uint32_t used() const noexcept { return used_; }
  std::uint32_t living() const noexcept { return living_; }

  // Whether every slot that was in use is alive, with a handle that leads to it, or among the free ones,
  // once.
  bool hold_together()
  {
    std::uint32_t alive = 0;
    for (std::uint32_t number = 0; number < used_; ++number) {
      const Slot& slot = *find(number);
      if ((slot.handle & ~dead) >> (slot_bits + generation_bits) != code || number_of(slot.handle) != number)
        return false;
      if (slot.is_alive()) ++alive;
    }
    std::uint32_t idle = 0;
    for (std::uint32_t next = free_; next != 0 && idle <= used_; ++idle) {
      const Slot& slot = *find(next - 1);
      if (slot.is_alive() || (slot.next == 0 && &slot != last_free_)) return false;
      next = slot.next;
    }
    return alive == living_ && alive + idle == used_;
  }

 private:
  // No handle has this bit.
  static constexpr std::uint32_t dead = 1u << 31;
  static constexpr unsigned chunk_count = slot_bits - first_chunk_bits + 1;

  // The handle that follows in the same slot.
  static std::uint32_t after(std::uint32_t handle) noexcept
  {
    constexpr std::uint32_t generation = ((1u << generation_bits) - 1) << slot_bits;
    return (handle & ~generation) | ((handle + (1u << slot_bits)) & generation);
  }
  static unsigned chunk_of(std::uint32_t number) noexcept
  {
    return static_cast<unsigned>(std::bit_width(number + (1u << first_chunk_bits))) - 1 - first_chunk_bits;
  }

  // Apart, so that callers need no room for it.
  [[gnu::noinline]] Slot* find_far(std::uint32_t number) noexcept
  {
    const unsigned which = chunk_of(number);
    Slot* const chunk = chunks_[which].get();
    return chunk ? &chunk[(number + (1u << first_chunk_bits)) ^ (1u << (which + first_chunk_bits))] : nullptr;
  }
  Slot* take_free()
  {
    if (free_ != 0 && used_ >= 1u << first_chunk_bits) [[likely]] {
      Slot* const slot = find(free_ - 1);
      free_ = slot->next;
      return slot;
    }
    return take_new();
  }
  [[gnu::noinline]] Slot* take_new()
  {
    if (used_ == max_slots) return nullptr;
    if (!find(used_)) {
      const unsigned which = chunk_of(used_);
      chunks_[which] = std::make_unique<Slot[]>(std::size_t{1} << (which + first_chunk_bits));
    }
    Slot* const slot = find(used_);
    slot->handle = dead | code << (slot_bits + generation_bits) | used_++;
    return slot;
  }

  std::unique_ptr<Slot[]> chunks_[chunk_count];
  std::uint32_t free_ = 0;     // the first free slot: number + 1
  Slot* last_free_ = nullptr;  // if there is one
  std::uint32_t used_ = 0;
  std::uint32_t living_ = 0;
};

}  // namespace ranklet::api
