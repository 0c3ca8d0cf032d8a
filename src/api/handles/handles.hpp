// From handles to objects. A handle is one of the ABI's predefined constants (below 4096), or the number of a
// slot and more (slots.hpp).
// Every rank has one table per kind of handle.
#pragma once

#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "api/handles/slots.hpp"
#include "base/invariant.hpp"
#include "ranks/ranks.hpp"
#include "terms/error.hpp"

namespace ranklet::api {

inline constexpr std::uint32_t first_dynamic_handle = 4096;

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
// never do. A handle reaches another thread by the program's own synchronization, which shows its slot too.
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
    auto* const slot = slots_.look_up(value);
    return slot ? &slot->object : nullptr;
  }

  // Throws as get() does unless each is the null handle or one of this kind.
  void check_all(const Handle* handles, int count, const char* argument)
  {
    for (int i = 0; i < count; ++i)
      if (handle_value(handles[i]) != Kind::null && !look_up(handles[i])) [[unlikely]]
        get(handles[i], argument);
  }

  // A handle for an object: its constant if it is predefined, the null handle if it is empty, else a new one.
  [[gnu::always_inline]] Handle put(Owner object)
  {
    if constexpr (requires { Kind::common; }) {
      if (object == predefined_[Kind::common - Kind::first]) return make(Kind::common);
    }
    return put_any(std::move(object));
  }

  // put() of an object that is not predefined, in a section of the rank.
  Handle put(Owner object, const Section& section) RANKLET_UNCHECKED
  {
    static_assert(!Kind::always_locked && !Kind::shares_handle);
    if (!section.is_alone()) [[unlikely]]
      return put(std::move(object));
    const auto* const slot = slots_.take(std::move(object));
    if (!slot) [[unlikely]]
      too_many_handles(Kind::what);
    check_small();
    return make(slot->handle);
  }

  // Ends a valid handle and writes the null handle to its place; predefined ones, and those that were given
  // more often, only lose the place's value.
  void retire(Handle* place)
  {
    const std::uintptr_t value = handle_value(*place);
    *place = make(Kind::null);
    if (value < first_dynamic_handle) return;
    const std::uint32_t number = slots_.number_of(value);
    auto& slot = *slots_.find(number);
    [[maybe_unused]] Owner object;  // goes after the lock is released
    if constexpr (requires { Kind::counts_retired; }) retired_.take();
    const Section guard(rank_, lock_, Kind::always_locked);
    if constexpr (Kind::shares_handle) {
      const auto known = given_.find(address(slot.object));
      if (--known->second.times > 0) return;
      given_.erase(known);
    }
    object = slots_.give(slot, number);
    check_small();
  }

  // Ends valid handles one after the other, in a section, as long as ends(object, i, section) says so, which
  // ends the object. Their number; none where several threads may come, or at a null handle.
  template <typename Ends>
  int retire_while(Handle* places, int count, Ends&& ends)
  {
    static_assert(!Kind::always_locked && !Kind::shares_handle && std::is_pointer_v<Owner>);
    const Section guard(rank_, lock_);
    if (!guard.is_alone()) return 0;
    int i = 0;
    for (; i < count; ++i) {
      const std::uintptr_t value = handle_value(places[i]);
      if (value < first_dynamic_handle) {
        if (value == Kind::null || !ends(*predefined_[value - Kind::first], i, guard)) break;
      } else {
        const std::uint32_t number = slots_.number_of(value);
        auto& slot = *slots_.find(number);
        // Another one: the array names it twice.
        if (slot.handle != value || !ends(*slot.object, i, guard)) break;
        slots_.give(slot, number);
      }
      places[i] = make(Kind::null);
    }
    check_small();
    return i;
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
    std::uint32_t found = Kind::null;
    slots_.any_of([&](const auto& slot) {
      if (address(slot.object) != &object) return false;
      found = slot.handle;
      return true;
    });
    return make(found);
  }

  // Calls f(handle, owner) for every handle that was not freed; f does not use the table.
  template <typename F>
  void for_each(F f)
  {
    const Section guard(rank_, lock_, Kind::always_locked);
    slots_.any_of([&](auto& slot) {
      f(make(slot.handle), slot.object);
      return false;
    });
  }

  std::uint32_t living() const noexcept { return slots_.living(); }
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
  // Of an object that has a handle.
  struct Given {
    std::uint32_t handle = 0;
    std::uint32_t times = 0;
  };
  struct Nothing {};

  static constexpr unsigned first_chunk_bits = [] {
    if constexpr (requires { Kind::first_chunk_bits; })
      return Kind::first_chunk_bits;
    else
      return 6u;
  }();

  static auto address(const Owner& owner) noexcept { return &*owner; }

  Handle put_any(Owner object)
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
    const Section guard(rank_, lock_, Kind::always_locked);
    if constexpr (Kind::shares_handle) {
      if (const auto known = given_.find(address(object)); known != given_.end()) {
        ++known->second.times;
        return make(known->second.handle);
      }
    }
    const auto* const slot = slots_.take(std::move(object));
    if (!slot) [[unlikely]]
      too_many_handles(Kind::what);
    if constexpr (Kind::shares_handle) given_[address(slot->object)] = {slot->handle, 1};
    check_small();
    return make(slot->handle);
  }

  Borrowed get_any(Handle handle, const char* argument)
  {
    Owner* const owner = look_up(handle);
    if (!owner) [[unlikely]]
      bad_handle(handle_value(handle), Kind::code, Kind::null, Kind::what, Kind::error, argument);
    return Kind::borrow(*owner);
  }

  bool holds_together() RANKLET_REQUIRES(lock_)
  {
    if constexpr (Kind::shares_handle)
      if (given_.size() != slots_.living()) return false;
    return slots_.hold_together();
  }
  // A look at a large table would take longer than all changes of it.
  void check_small() RANKLET_REQUIRES(lock_)
  {
    full_invariant([&]() RANKLET_UNCHECKED { return slots_.used() > 64 || holds_together(); },
                   "slots are alive or free, and all are counted");
  }

  Rank& rank_;
  Owner predefined_[Kind::count] = {};
  Slots<Owner, Kind::code, first_chunk_bits> slots_;
  [[no_unique_address]] std::conditional_t<Kind::shares_handle, std::unordered_map<const void*, Given>,
                                           Nothing>
      given_ RANKLET_GUARDED_BY(lock_);
  memmodel::Counter<> retired_;
  memmodel::SpinLock<> lock_;
};

}  // namespace ranklet::api
