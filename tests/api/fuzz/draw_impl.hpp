// The templates of draw.hpp.
#pragma once

#include <type_traits>

namespace fuzz {

// What programs give to MPI, to be called back.
struct Callbacks {
  static void combine(void*, void*, int*, MPI_Datatype*) {}
  static void combine_large(void*, void*, MPI_Count*, MPI_Datatype*) {}
  template <class Object>
  static int copy(Object, int, void*, void* in, void* out, int* flag)
  {
    *static_cast<void**>(out) = in;
    *flag = 1;
    return MPI_SUCCESS;
  }
  template <class Object>
  static int erase(Object, int, void*, void*)
  {
    return MPI_SUCCESS;
  }
  template <class Object>
  static void handle_error(Object*, int*, ...)
  {
  }
  static int query(void*, MPI_Status* status)
  {
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
  }
  static int free(void*) { return MPI_SUCCESS; }
  static int cancel(void*, int) { return MPI_SUCCESS; }
};

template <class Function>
Function* Draw::function()
{
  if constexpr (std::is_same_v<Function, MPI_User_function>) {
    return &Callbacks::combine;
  } else if constexpr (std::is_same_v<Function, MPI_User_function_c>) {
    return &Callbacks::combine_large;
  } else if constexpr (std::is_same_v<Function, MPI_Comm_copy_attr_function>) {
    return chance(20) ? MPI_COMM_NULL_COPY_FN : chance(20) ? MPI_COMM_DUP_FN : &Callbacks::copy<MPI_Comm>;
  } else if constexpr (std::is_same_v<Function, MPI_Type_copy_attr_function>) {
    return chance(20) ? MPI_TYPE_NULL_COPY_FN : chance(20) ? MPI_TYPE_DUP_FN : &Callbacks::copy<MPI_Datatype>;
  } else if constexpr (std::is_same_v<Function, MPI_Win_copy_attr_function>) {
    return chance(20) ? MPI_WIN_NULL_COPY_FN : &Callbacks::copy<MPI_Win>;
  } else if constexpr (std::is_same_v<Function, MPI_Comm_delete_attr_function>) {
    return chance(30) ? MPI_COMM_NULL_DELETE_FN : &Callbacks::erase<MPI_Comm>;
  } else if constexpr (std::is_same_v<Function, MPI_Type_delete_attr_function>) {
    return chance(30) ? MPI_TYPE_NULL_DELETE_FN : &Callbacks::erase<MPI_Datatype>;
  } else if constexpr (std::is_same_v<Function, MPI_Win_delete_attr_function>) {
    return chance(30) ? MPI_WIN_NULL_DELETE_FN : &Callbacks::erase<MPI_Win>;
  } else if constexpr (std::is_same_v<Function, MPI_Comm_errhandler_function>) {
    return &Callbacks::handle_error<MPI_Comm>;
  } else if constexpr (std::is_same_v<Function, MPI_Win_errhandler_function>) {
    return &Callbacks::handle_error<MPI_Win>;
  } else if constexpr (std::is_same_v<Function, MPI_File_errhandler_function>) {
    return &Callbacks::handle_error<MPI_File>;
  } else if constexpr (std::is_same_v<Function, MPI_Session_errhandler_function>) {
    return &Callbacks::handle_error<MPI_Session>;
  } else if constexpr (std::is_same_v<Function, MPI_Grequest_query_function>) {
    return &Callbacks::query;
  } else if constexpr (std::is_same_v<Function, MPI_Grequest_free_function>) {
    return &Callbacks::free;
  } else {
    static_assert(std::is_same_v<Function, MPI_Grequest_cancel_function>);
    return &Callbacks::cancel;
  }
}

template <class Handle>
Handle Draw::bad_handle(Pool<Handle>& pool, bool nullable)
{
  constexpr std::uintptr_t nothing[] = {1,          4095,       4096,        0x7fffffff,
                                        0x80000000, 0xffffffff, UINTPTR_MAX, 0x080fffff};
  const int way = below(4);
  const int which = below(8);
  if (way == 0 && !nullable) return pool.null;
  if (way == 1 && !pool.freed.empty()) return pool.freed[static_cast<std::size_t>(which) % pool.freed.size()];
  if (way == 2) {
    if constexpr (std::is_same_v<Handle, MPI_Group>)
      return reinterpret_cast<Handle>(comms.slot[2]);
    else
      return reinterpret_cast<Handle>(groups.slot[1]);
  }
  return reinterpret_cast<Handle>(nothing[which]);
}

template <class Handle>
Handle Draw::in(int i, Pool<Handle>& pool, bool nullable, bool committed)
{
  const int slot = below(pool.used);
  const bool none = chance(nullable ? 40 : 0);
  Handle handle = none ? pool.null : pool.slot[static_cast<std::size_t>(slot)];
  if (bad(i)) {
    handle = bad_handle(pool, nullable);
  } else if constexpr (std::is_same_v<Handle, MPI_Datatype>) {
    const bool same = chance(90) && type_ != MPI_DATATYPE_NULL;
    if (committed && !usable_[static_cast<std::size_t>(slot)]) handle = MPI_INT;
    if (committed) type_ = handle = same ? type_ : handle;
  } else if constexpr (std::is_same_v<Handle, MPI_Comm> || std::is_same_v<Handle, MPI_Win>) {
    look_at(handle);
  } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
    if (!completes_[static_cast<std::size_t>(slot)]) unsure_ = true;
  }
  note(static_cast<long long>(reinterpret_cast<std::intptr_t>(handle)));
  return handle;
}

template <class Handle>
Place<Handle> Draw::out(int i, Pool<Handle>& pool)
{
  const int slot = pool.fixed + below(pool.used - pool.fixed);
  return {pool.null, slot, !bad(i)};
}

template <class Handle>
Place<Handle> Draw::inout(int i, Pool<Handle>& pool, bool nullable)
{
  const int slot = below(pool.used);
  const bool no_place = chance(20);
  Place<Handle> place{pool.slot[static_cast<std::size_t>(slot)], slot};
  if (bad(i)) {
    place = {bad_handle(pool, nullable), -1, !no_place};
  } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
    if (!completes_[static_cast<std::size_t>(slot)]) unsure_ = true;
  } else if constexpr (std::is_same_v<Handle, MPI_Comm> || std::is_same_v<Handle, MPI_Win>) {
    look_at(place.value);
  }
  note(static_cast<long long>(reinterpret_cast<std::intptr_t>(place.value)));
  return place;
}

template <class Handle>
Handle Draw::any(Pool<Handle>& pool)
{
  const Handle good = pool.slot[static_cast<std::size_t>(below(pool.used))];
  const Handle wrong = bad_handle(pool, false);
  return chance(30) ? wrong : good;
}

template <class Handle, class Length>
Handle* Draw::handles(Pool<Handle>& pool, Length length, bool committed)
{
  Handle* const place = array<Handle>(length);
  const bool with_bad = chance(committed ? 1 : 5);
  for (Length i = 0; i < length; ++i) {
    const auto slot = static_cast<std::size_t>(committed ? 0 : below(pool.used));
    place[i] = pool.slot[slot];
    if constexpr (std::is_same_v<Handle, MPI_Datatype>) {
      if (committed && !usable_[slot]) place[i] = MPI_INT;
    }
    if (with_bad && i == 1) place[i] = bad_handle(pool, false);
  }
  return place;
}

template <class Handle, class Length>
Places<Handle> Draw::handles_inout(Pool<Handle>& pool, Length length)
{
  Places<Handle> places;
  const int start = below(pool.used);
  const bool twice = chance(3);
  const bool with_bad = chance(5);
  for (Length i = 0; i < length; ++i) {
    const int slot = twice ? start : (start + static_cast<int>(i)) % pool.used;
    places.slot.push_back(slot);
    places.values.push_back(pool.slot[static_cast<std::size_t>(slot)]);
    if (!completes_[static_cast<std::size_t>(slot)]) unsure_ = true;
    if (with_bad && i == 1) {
      places.values.back() = bad_handle(pool, true);
      places.slot.back() = -1;
    }
  }
  places.data = array<Handle>(length);
  for (std::size_t i = 0; i < places.values.size(); ++i) places.data[i] = places.values[i];
  return places;
}

template <class Handle>
void Draw::forget(Pool<Handle>& pool, Handle handle)
{
  if (reinterpret_cast<std::uintptr_t>(handle) < 4096) return;  // constants last
  // What several calls gave ends when it was freed as often.
  if (std::is_same_v<Handle, MPI_Group> || std::is_same_v<Handle, MPI_Errhandler>) return;
  pool.freed.push_front(handle);
  if (pool.freed.size() > 8) pool.freed.pop_back();
}

template <class Handle>
void Draw::made(Pool<Handle>& pool, const Place<Handle>& place)
{
  if (!succeeded_ || over_) return;
  const auto slot = static_cast<std::size_t>(place.slot);
  std::erase(pool.freed, place.value);
  if constexpr (std::is_same_v<Handle, MPI_Win>) {
    if (place.value != MPI_WIN_NULL) MPI_Win_set_errhandler(place.value, MPI_ERRORS_RETURN);
  } else if constexpr (std::is_same_v<Handle, MPI_Errhandler>) {
    if (place.value == MPI_ERRORS_ARE_FATAL || place.value == MPI_ERRORS_ABORT) return;
  } else if constexpr (std::is_same_v<Handle, MPI_Datatype>) {
    usable_[slot] = false;
  } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
    const bool persistent = std::strstr(name_, "_init") != nullptr;
    collective_[slot] = nature_ == Nature::collective;
    completes_[slot] = persistent || collective_[slot];
    owes_receive_ |= std::strstr(name_, "sendrecv") != nullptr;
    // Nobody is ever stuck while something outside of MPI may complete a request.
    if (std::strcmp(name_, "MPI_Grequest_start") == 0)
      completes_[slot] = MPI_Grequest_complete(place.value) == MPI_SUCCESS;
  }
  pool.slot[slot] = place.value;
}

template <class Handle>
void Draw::returned(Pool<Handle>& pool, const Place<Handle>& place)
{
  if (place.slot < pool.fixed || over_) return;
  const auto slot = static_cast<std::size_t>(place.slot);
  Handle& known = pool.slot[slot];
  if (place.value == pool.null && known != pool.null) forget(pool, known);
  if constexpr (std::is_same_v<Handle, MPI_Datatype>) {
    usable_[slot] = place.value != MPI_DATATYPE_NULL && usable(place.value);
  } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
    if (succeeded_ && std::strcmp(name_, "MPI_Start") == 0) completes_[slot] = collective_[slot];
  }
  known = place.value;
}

template <class Handle>
void Draw::returned(Pool<Handle>& pool, const Places<Handle>& places)
{
  const bool started = succeeded_ && std::strcmp(name_, "MPI_Startall") == 0;
  for (std::size_t i = 0; i < places.values.size(); ++i) {
    if (places.slot[i] < 0) continue;
    const auto slot = static_cast<std::size_t>(places.slot[i]);
    if (places.data[i] == pool.null && pool.slot[slot] != pool.null) forget(pool, pool.slot[slot]);
    pool.slot[slot] = places.data[i];
    // What was to be started and failed half way is in an unknown state.
    if (nature_ == Nature::collective) completes_[slot] = started && collective_[slot];
  }
}

template <class Number, class Length>
const Number* Draw::numbers(Kind kind, Length length, bool weights)
{
  if constexpr (std::is_same_v<Number, int>) {
    const int special = weights ? below(10) : 10;
    if (special == 0) return MPI_UNWEIGHTED;
    if (special == 1 && length == 0) return MPI_WEIGHTS_EMPTY;
  }
  Number* const place = array<Number>(length);
  const bool same = chance(90);
  for (Length i = 0; i < length; ++i) {
    const std::int64_t value = element(kind);
    place[i] = static_cast<Number>(clamp<Number>(same && kind == Kind::count_ ? count_ : value));
  }
  return place;
}

template <class Number>
Number* Draw::place(int i, Kind kind)
{
  const std::int64_t start = kind == Kind::keyval_ ? scalar(-1, kind) : below(16) - 2;
  if (bad(i)) return nullptr;
  Number* const place = array<Number>(1);
  *place = static_cast<Number>(start);
  return place;
}

template <class Length>
int (*Draw::ranges(Length length))[3]
{
  const int numbers = length > 0 ? 3 * static_cast<int>(length) : 0;
  int* const place = array<int>(numbers);
  for (int i = 0; i < numbers; ++i) place[i] = below(7) - 1;
  return reinterpret_cast<int(*)[3]>(place);
}

}  // namespace fuzz
