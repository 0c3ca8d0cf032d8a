// From handles to objects. A handle is one of the ABI's predefined constants (below 4096), or kind,
// generation and slot packed into a positive 32-bit number, so that Fortran's INTEGER handles are the same
// numbers:
//
//     bits 27-30 kind (1-15) | bits 20-26 generation | bits 0-19 slot
//
// Every rank has one table per kind of handle.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/invariant.hpp"
#include "ranks/ranks.hpp"
#include "terms/error.hpp"

namespace ranklet::api {

inline constexpr std::uint32_t first_dynamic_handle = 4096;
inline constexpr unsigned slot_bits = 20;
inline constexpr unsigned generation_bits = 7;
inline constexpr std::uint32_t max_slots = 1u << slot_bits;

template <typename Handle>
std::uintptr_t handle_value(Handle handle) noexcept
{
  return reinterpret_cast<std::uintptr_t>(handle);
}

// Throws Error{error_class} that says what is wrong with the handle.
[[noreturn, gnu::cold, gnu::noinline]] void bad_handle(std::uintptr_t value, unsigned kind,
                                                       std::uint32_t null, const char* what,
                                                       ErrorClass error_class, const char* argument);
[[noreturn, gnu::cold, gnu::noinline]] void not_freeable(std::uintptr_t value, const char* what,
                                                         ErrorClass error_class, const char* argument);
[[noreturn, gnu::cold, gnu::noinline]] void too_many_handles(const char* what);

// The objects of one kind that a rank has handles of.
//
// Kind says: Handle (the C type), Owner (what the table keeps: a pointer or a smart pointer; empty when
// moved from or default), Borrowed (what get() gives) and borrow(Owner&), code (1-15), null, first and
// count (the block of predefined constants), error, what ("communicator"), and where a call may
// return what a constant stands for: gives_predefined, or constant(const Owner&); and shares_handle, where
// all calls that give an object give the same handle, which ends when it was retired as often (§2.5.1);
// mostly_predefined, where most calls name a constant; common, a constant that one object may have; and
// first_chunk_bits where programs have more of them at a time.
//
// Thread safety: whatever changes the table or walks through it is a Section; get and find
// never do. A handle reaches another thread by the program's own synchronization, which shows its slot too; a
// slot never moves.
//
// Invariants: a slot's `handle` is the value of the living handle, or with the bit `dead` that of the next
// one, or 0; free slots form a queue through `next`, so that a slot waits as long as it can before it is used
// again, and a handle that was kept by mistake is found out; slot numbers from `used_` on were never in use,
// and the first chunk is used up before a slot is used again.
template <typename Kind>
class HandleTable {
 public:
  using Handle = typename Kind::Handle;
  using Owner = typename Kind::Owner;
  using Borrowed = typename Kind::Borrowed;

  explicit HandleTable(Rank& rank) noexcept : rank_(rank) {}
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // Makes a predefined constant mean an object.
  void install(Handle constant, Owner object)
  {
    predefined_[handle_value(constant) - Kind::first] = std::move(object);
  }

  // The object of a handle; throws Error for the null handle and whatever else is none of this kind.
  // `argument` is the parameter's name. One load from the block of constants, or three for other handles.
  [[gnu::always_inline]] Borrowed get(Handle handle, const char* argument)
  {
    if constexpr (Kind::mostly_predefined) {
      const std::uintptr_t index = handle_value(handle) - Kind::first;  // wraps, as in look_up()
      if (index < Kind::count && predefined_[index]) [[likely]]
        return Kind::borrow(predefined_[index]);
    }
    return get_any(handle, argument);
  }

  // As get(), but null for the null handle.
  auto find(Handle handle, const char* argument) -> decltype(&std::declval<Borrowed>())
  {
    if (handle_value(handle) == Kind::null) return nullptr;
    return &get(handle, argument);
  }

  // As get(), for a handle that is about to be retired: a predefined constant is an error where the standard
  // does not let it be freed.
  Borrowed get_freeable(Handle handle, const char* argument)
  {
    Borrowed object = get(handle, argument);
    if (handle_value(handle) < first_dynamic_handle && !Kind::predefined_may_be_freed) [[unlikely]]
      not_freeable(handle_value(handle), Kind::what, Kind::error, argument);
    return object;
  }

  // As get(), null instead of an error: for reports.
  Owner* look_up(Handle handle) noexcept
  {
    const std::uintptr_t value = handle_value(handle);
    if (value < first_dynamic_handle) {
      const std::uintptr_t index = value - Kind::first;  // wraps to a large number below the block
      return index < Kind::count && predefined_[index] ? &predefined_[index] : nullptr;
    }
    if (value >> (slot_bits + generation_bits) != Kind::code) return nullptr;
    Slot* const slot = find_slot(static_cast<std::uint32_t>(value) & (max_slots - 1));
    return slot && slot->handle == value ? &slot->object : nullptr;
  }

  // A handle for an object: its constant if it is predefined, the null handle if it is empty, else a new one.
  Handle put(Owner object)
  {
    if (!object) return make(Kind::null);
    if constexpr (Kind::gives_predefined) {
      for (unsigned i = 0; i < Kind::count; ++i)
        if (predefined_[i] && address(predefined_[i]) == address(object)) return make(Kind::first + i);
      if (Kind::has_one_handle(object)) {
        const Handle known = handle_of(*object);
        if (handle_value(known) != Kind::null) return known;
      }
    }
    if constexpr (requires { Kind::constant(object); }) {
      if (const std::uint32_t constant = Kind::constant(object)) return make(constant);
    }
    if constexpr (requires { Kind::common; }) {
      if (object == predefined_[Kind::common - Kind::first]) return make(Kind::common);
    }
    const Section guard(rank_, lock_, Kind::always_locked);
    if constexpr (Kind::shares_handle) {
      if (const auto known = given_.find(address(object)); known != given_.end()) {
        ++known->second.times;
        return make(known->second.handle);
      }
    }
    Slot& slot = take_slot();
    slot.object = std::move(object);
    slot.handle &= ~dead;
    ++living_;
    if constexpr (Kind::shares_handle) given_[address(slot.object)] = {slot.handle, 1};
    check_small();
    return make(slot.handle);
  }

  // Ends a valid handle and writes the null handle to its place; predefined ones, and those that were given
  // more often, only lose the place's value.
  void retire(Handle* place)
  {
    const std::uintptr_t value = handle_value(*place);
    *place = make(Kind::null);
    if (value < first_dynamic_handle) return;
    const std::uint32_t index = static_cast<std::uint32_t>(value) & (max_slots - 1);
    Slot& slot = *find_slot(index);
    [[maybe_unused]] Owner object;  // goes after the lock is released
    if constexpr (requires { Kind::counts_retired; }) retired_.take();
    const Section guard(rank_, lock_, Kind::always_locked);
    if constexpr (Kind::shares_handle) {
      const auto known = given_.find(address(slot.object));
      if (--known->second.times > 0) return;
      given_.erase(known);
    }
    object = std::exchange(slot.object, Owner{});
    slot.handle = dead | after(slot.handle);
    slot.next = 0;
    if (free_ == 0)
      free_ = index + 1;
    else
      find_slot(last_free_)->next = index + 1;
    last_free_ = index;
    --living_;
    check_small();
  }

  // get() and retire(); for kinds whose objects are values.
  auto take(Handle* place, const char* argument)
  {
    auto object = get(*place, argument);
    retire(place);
    return object;
  }

  // The handle of an object that has one, else the null handle. Takes time in proportion to the table.
  template <typename Object>
  Handle handle_of(const Object& object) noexcept
  {
    const Section guard(rank_, lock_, Kind::always_locked);
    for (unsigned i = 0; i < Kind::count; ++i)
      if (predefined_[i] && address(predefined_[i]) == &object) return make(Kind::first + i);
    for (std::uint32_t index = 0; index < used_; ++index) {
      Slot& slot = *find_slot(index);
      if (slot.is_alive() && address(slot.object) == &object) return make(slot.handle);
    }
    return make(Kind::null);
  }

  // Calls f(handle, owner) for every handle that was not freed; f does not use the table.
  template <typename F>
  void for_each(F f)
  {
    const Section guard(rank_, lock_, Kind::always_locked);
    for (std::uint32_t index = 0; index < used_; ++index) {
      Slot& slot = *find_slot(index);
      if (slot.is_alive()) f(make(slot.handle), slot.object);
    }
  }

  std::uint32_t living() const noexcept { return living_; }
  // Whether the invariants hold. Takes time in proportion to the table; for tests, and where all of them are
  // checked.
  bool is_valid()
  {
    const Section guard(rank_, lock_, Kind::always_locked);
    return holds_together();
  }
  // How many handles have ended, of kinds that count them: a thread that remembers an object compares
  // this before it uses the object again.
  std::int64_t retired() const noexcept { return retired_.value(); }
  // As if one had ended.
  void outdate() noexcept { retired_.take(); }

  static Handle make(std::uintptr_t value) noexcept { return reinterpret_cast<Handle>(value); }

 private:
  struct Slot {
    Owner object{};
    std::uint32_t handle = 0;
    std::uint32_t next = 0;  // free slot: number + 1, 0 at the end
    bool is_alive() const noexcept { return handle != 0 && (handle & dead) == 0; }
  };
  // No handle has this bit.
  static constexpr std::uint32_t dead = 1u << 31;
  // The handle that follows in the same slot.
  static std::uint32_t after(std::uint32_t handle) noexcept
  {
    constexpr std::uint32_t generation = ((1u << generation_bits) - 1) << slot_bits;
    return (handle & ~generation) | ((handle + (1u << slot_bits)) & generation);
  }

  // Of an object that has a handle.
  struct Given {
    std::uint32_t handle = 0;
    std::uint32_t times = 0;
  };
  struct Nothing {};

  // Chunk c holds first_chunk << c slots, so that slots stay where they are while the table grows.
  static constexpr unsigned first_chunk_bits = [] {
    if constexpr (requires { Kind::first_chunk_bits; })
      return Kind::first_chunk_bits;
    else
      return 6u;
  }();
  static constexpr unsigned chunk_count = slot_bits - first_chunk_bits + 1;

  static auto address(const Owner& owner) noexcept { return &*owner; }

  Borrowed get_any(Handle handle, const char* argument)
  {
    Owner* const owner = look_up(handle);
    if (!owner) [[unlikely]]
      bad_handle(handle_value(handle), Kind::code, Kind::null, Kind::what, Kind::error, argument);
    return Kind::borrow(*owner);
  }

  Slot* find_slot(std::uint32_t index) noexcept
  {
    // Most programs have few handles of a kind.
    if (index < 1u << first_chunk_bits) [[likely]] {
      Slot* const chunk = chunks_[0].get();
      return chunk ? &chunk[index] : nullptr;
    }
    return find_far_slot(index);
  }
  // Apart, so that callers need no room for it.
  [[gnu::noinline]] Slot* find_far_slot(std::uint32_t index) noexcept
  {
    const std::uint32_t shifted = index + (1u << first_chunk_bits);
    const unsigned top = static_cast<unsigned>(std::bit_width(shifted)) - 1;
    Slot* const chunk = chunks_[top - first_chunk_bits].get();
    return chunk ? &chunk[shifted ^ (1u << top)] : nullptr;
  }

  // Every slot that was in use is alive, with a handle that leads to it, or among the free ones, once.
  bool holds_together() RANKLET_REQUIRES(lock_)
  {
    std::uint32_t alive = 0;
    for (std::uint32_t index = 0; index < used_; ++index) {
      const Slot& slot = *find_slot(index);
      if ((slot.handle & ~dead) >> (slot_bits + generation_bits) != Kind::code ||
          (slot.handle & (max_slots - 1)) != index)
        return false;
      if (slot.is_alive()) ++alive;
    }
    std::uint32_t idle = 0;
    for (std::uint32_t next = free_; next != 0 && idle <= used_; ++idle) {
      const Slot& slot = *find_slot(next - 1);
      if (slot.is_alive() || (slot.next == 0 && next - 1 != last_free_)) return false;
      next = slot.next;
    }
    if constexpr (Kind::shares_handle)
      if (given_.size() != alive) return false;
    return alive == living_ && alive + idle == used_;
  }
  // A look at a large table would take longer than all changes of it.
  void check_small() RANKLET_REQUIRES(lock_)
  {
    full_invariant([&]() RANKLET_UNCHECKED { return used_ > 64 || holds_together(); },
                   "slots are alive or free, and all are counted");
  }

  Slot& take_slot() RANKLET_REQUIRES(lock_)
  {
    if (free_ != 0 && used_ >= 1u << first_chunk_bits) [[likely]] {
      Slot& slot = *find_slot(free_ - 1);
      free_ = slot.next;
      return slot;
    }
    return take_new_slot();
  }
  [[gnu::noinline]] Slot& take_new_slot() RANKLET_REQUIRES(lock_)
  {
    if (used_ == max_slots) too_many_handles(Kind::what);
    if (!find_slot(used_)) {
      const unsigned chunk =
          static_cast<unsigned>(std::bit_width(used_ + (1u << first_chunk_bits))) - 1 - first_chunk_bits;
      chunks_[chunk] = std::make_unique<Slot[]>(std::size_t{1} << (chunk + first_chunk_bits));
    }
    Slot& slot = *find_slot(used_);
    slot.handle = dead | Kind::code << (slot_bits + generation_bits) | used_++;
    return slot;
  }

  Rank& rank_;
  Owner predefined_[Kind::count] = {};
  std::unique_ptr<Slot[]> chunks_[chunk_count];
  [[no_unique_address]] std::conditional_t<Kind::shares_handle, std::unordered_map<const void*, Given>,
                                           Nothing>
      given_ RANKLET_GUARDED_BY(lock_);
  std::uint32_t free_ RANKLET_GUARDED_BY(lock_) = 0;       // the first free slot: number + 1
  std::uint32_t last_free_ RANKLET_GUARDED_BY(lock_) = 0;  // the last one's number, if there is one
  std::uint32_t used_ RANKLET_GUARDED_BY(lock_) = 0;
  std::uint32_t living_ = 0;
  memmodel::Counter<> retired_;
  memmodel::SpinLock<> lock_;
};

}  // namespace ranklet::api
