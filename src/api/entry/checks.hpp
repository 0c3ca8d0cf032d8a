// The checks of arguments that the generated entry points make. Each is a compare and a branch; what fails is
// put into words elsewhere.
#pragma once

#include "api/handles/views.hpp"

namespace ranklet::api {

[[noreturn, gnu::cold, gnu::noinline]] void negative(ErrorClass error_class, const char* argument,
                                                     Count value);
[[noreturn, gnu::cold, gnu::noinline]] void bad_rank(ErrorClass error_class, const char* argument, int rank,
                                                     int peers);
[[noreturn, gnu::cold, gnu::noinline]] void null_pointer(ErrorClass error_class, const char* argument);
[[noreturn, gnu::cold, gnu::noinline]] void wildcard_excluded(ErrorClass error_class, const char* argument,
                                                              const char* wildcard, const char* hint);
[[noreturn, gnu::cold, gnu::noinline]] void not_committed(const char* argument, const Datatype& type);

inline void check_count(Count count, const char* argument)
{
  if (count < 0) [[unlikely]]
    negative(ErrorClass::count, argument, count);
}

// Of a count that is negative or above type.most_elements().
[[noreturn, gnu::cold, gnu::noinline]] void bad_count(const char* argument, Count count,
                                                      const Datatype& type);

// Of elements of that type. Sizes and offsets below need no further thought: they fit 64 bits.
inline void check_count(Count count, const Datatype& type, const char* argument)
{
  // One comparison: negative counts are large ones without a sign.
  if (static_cast<std::uint64_t>(count) > static_cast<std::uint64_t>(type.most_elements())) [[unlikely]]
    bad_count(argument, count, type);
}

inline void check_size(Count size, const char* argument)
{
  if (size < 0) [[unlikely]]
    negative(ErrorClass::size, argument, size);
}

// There is no largest tag: MPI_TAG_UB is the largest int.
inline void check_tag(int tag, const char* argument)
{
  if (tag < 0) [[unlikely]]
    negative(ErrorClass::tag, argument, tag);
}

// Wildcards are looked at twice: the communicator's hints may exclude them (§7.4.4).
inline void check_anytag(int tag, const Communicator& comm, const char* argument)
{
  if (tag >= 0) return;
  if (tag != any_tag) [[unlikely]]
    negative(ErrorClass::tag, argument, tag);
  if (comm.hints.no_any_tag) [[unlikely]]
    wildcard_excluded(ErrorClass::tag, argument, "MPI_ANY_TAG", "mpi_assert_no_any_tag");
}

template <typename Object>
void check_rank(int rank, const Object& object, const char* argument)
{
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(peer_count(object))) [[unlikely]]
    bad_rank(ErrorClass::rank, argument, rank, peer_count(object));
}

template <typename Object>
void check_dest(int rank, const Object& object, const char* argument)
{
  if (rank != proc_null) check_rank(rank, object, argument);
}

inline void check_source(int rank, const Communicator& comm, const char* argument)
{
  if (rank != any_source) {
    check_dest(rank, comm, argument);
    return;
  }
  if (comm.hints.no_any_source) [[unlikely]]
    wildcard_excluded(ErrorClass::rank, argument, "MPI_ANY_SOURCE", "mpi_assert_no_any_source");
}

// What a process is in a collective call with a root (MPI 5.0 §6.2.3).
enum class Role { root, other, outside };

// In an intercommunicator the root says MPI_ROOT, its companions MPI_PROC_NULL, the other group the root's
// rank.
inline Role check_root(int root, const Communicator& comm, const char* argument)
{
  if (comm.is_inter()) {
    if (root == intercomm_root) return Role::root;
    if (root == proc_null) return Role::outside;
  }
  if (static_cast<unsigned>(root) >= static_cast<unsigned>(comm.peer_count())) [[unlikely]]
    bad_rank(ErrorClass::root, argument, root, comm.peer_count());
  return !comm.is_inter() && root == comm.rank() ? Role::root : Role::other;
}

// Whether the arguments that all but the root have in common are significant here: at everybody in an
// intracommunicator, at the group without the root in an intercommunicator.
inline bool gives_as_member(Role role, const Communicator& comm)
{
  return role == Role::other || !comm.is_inter();
}

inline void check_committed(const Datatype& type, const char* argument)
{
  if (!type.committed()) [[unlikely]]
    not_committed(argument, type);
}

// Whether an address is none but a constant of mpi.h: null, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC.
inline bool is_constant_address(const void* address) noexcept
{
  return reinterpret_cast<std::uintptr_t>(address) <= reinterpret_cast<std::uintptr_t>(MPI_BUFFER_AUTOMATIC);
}

// Of a constant address that is not null; `in_place_rule` says why it is not MPI_IN_PLACE.
[[noreturn, gnu::cold, gnu::noinline]] void stands_for_nothing(const void* address, const char* argument,
                                                               const char* in_place_rule);

// A null buffer is MPI_BOTTOM, which only makes sense with a type that holds addresses.
inline void check_buffer(const void* buffer, Count count, MPI_Datatype type, const char* argument,
                         const char* in_place_rule)
{
  if (!is_constant_address(buffer)) [[likely]]
    return;
  if (buffer) stands_for_nothing(buffer, argument, in_place_rule);
  if (count > 0 && handle_value(type) < first_dynamic_handle) [[unlikely]]
    null_pointer(ErrorClass::buffer, argument);
}

// The same for memory that no count and type describe: it may be null.
inline void check_address(const void* address, const char* argument, const char* in_place_rule)
{
  if (is_constant_address(address) && address) [[unlikely]]
    stands_for_nothing(address, argument, in_place_rule);
}

// MPI_IN_PLACE is for intracommunicators, and in operations with a root for the root (§6.2.1).
[[noreturn, gnu::cold, gnu::noinline]] void not_in_place(const char* argument, const char* rule,
                                                         const char* section);

inline void check_in_place(const Communicator& comm, const char* argument, const char* section)
{
  if (comm.is_inter()) [[unlikely]]
    not_in_place(argument, "may be in intracommunicators only", section);
}

inline void check_in_place(Role role, const Communicator& comm, const char* argument, const char* section)
{
  check_in_place(comm, argument, section);
  if (role != Role::root) [[unlikely]]
    not_in_place(argument, "may be at the root only", section);
}

inline void check_out(const void* place, const char* argument)
{
  if (!place) [[unlikely]]
    null_pointer(ErrorClass::arg, argument);
}

inline void check_array(const void* array, Count length, const char* argument)
{
  if (!array && length > 0) [[unlikely]]
    null_pointer(ErrorClass::arg, argument);
}

inline const Status& status_in(const MPI_Status* status, const char* argument)
{
  check_out(status, argument);
  return *reinterpret_cast<const Status*>(status);
}

inline Status& status_inout(MPI_Status* status, const char* argument)
{
  check_out(status, argument);
  return *reinterpret_cast<Status*>(status);
}

}  // namespace ranklet::api
