// The kinds of handles: their values in the ABI and the objects of the core that they stand for. The one
// place where the interface meets the cores' types.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <memory>
#include <optional>

#include "api/handles/handles.hpp"
#include "base/ref.hpp"
#include "comm/comm.hpp"
#include "datatype/datatype.hpp"
#include "datatype/op.hpp"
#include "io/io.hpp"
#include "p2p/p2p.hpp"
#include "ranks/ranks.hpp"
#include "rma/rma.hpp"
#include "terms/info.hpp"
#include "terms/types.hpp"

namespace ranklet {

using InfoPtr = std::unique_ptr<Info>;

namespace api {

class Errhandler;
using ErrhandlerPtr = std::shared_ptr<Errhandler>;

// What every kind has; see HandleTable. `code` is the kind's number in dynamic handles, `first` and `count`
// the block of predefined constants, whose first is the null handle.
template <typename HandleType, typename OwnerType, unsigned handle_code, std::uint32_t first_constant,
          unsigned constants>
struct HandleKind {
  using Handle = HandleType;
  using Owner = OwnerType;
  static constexpr unsigned code = handle_code;
  static constexpr std::uint32_t null = first_constant;
  static constexpr std::uint32_t first = first_constant;
  static constexpr unsigned count = constants;
  static constexpr bool gives_predefined = false;         // calls may return objects that have a constant
  static constexpr bool mostly_predefined = false;        // what calls are given
  static constexpr bool predefined_may_be_freed = false;  // as such a call's result must be freed
  static constexpr bool shares_handle = false;            // calls that give an object give its one handle
  static constexpr bool always_locked = false;  // calls on them may be made by any thread at any time (§11.4)
  // Whether an object without a constant has one handle for good, which every call gives.
  template <typename Object>
  static bool has_one_handle(const Object&) noexcept
  {
    return false;
  }
};

template <typename Object>
struct Counted {
  using Borrowed = Object&;
  static Object& borrow(const Ref<Object>& owner) noexcept { return *owner; }
};

template <typename Object>
struct Plain {
  using Borrowed = Object&;
  static Object& borrow(Object* owner) noexcept { return *owner; }
};

struct CommHandle : HandleKind<MPI_Comm, CommRef, 1, 0x100, 8>, Counted<Communicator> {
  static constexpr bool mostly_predefined = true;
  static constexpr ErrorClass error = ErrorClass::comm;
  static constexpr const char* what = "communicator";
  static constexpr bool gives_predefined = true;
  static bool has_one_handle(const Owner& comm) noexcept { return comm->is_parent; }
};

struct GroupHandle : HandleKind<MPI_Group, GroupPtr, 2, 0x108, 8> {
  using Borrowed = const GroupPtr&;
  static const GroupPtr& borrow(const GroupPtr& owner) noexcept { return owner; }
  static constexpr ErrorClass error = ErrorClass::group;
  static constexpr const char* what = "group";
  static constexpr bool gives_predefined = true;
  static constexpr bool shares_handle = true;
  static constexpr bool predefined_may_be_freed = true;
};

struct TypeHandle : HandleKind<MPI_Datatype, Ref<Datatype>, 3, 0x200, 256>, Counted<Datatype> {
  static constexpr bool mostly_predefined = true;
  static constexpr ErrorClass error = ErrorClass::type;
  static constexpr const char* what = "datatype";
  static constexpr bool gives_predefined = true;
  // Those of MPI_Type_create_f90_* (§19.1.5).
  static bool has_one_handle(const Owner& type) noexcept { return type->is_predefined(); }
};

struct OpHandle : HandleKind<MPI_Op, Ref<Op>, 4, 0x20, 32>, Counted<Op> {
  static constexpr ErrorClass error = ErrorClass::op;
  static constexpr const char* what = "operator";
};

struct RequestHandle : HandleKind<MPI_Request, Request*, 5, 0x180, 8>, Plain<Request> {
  static constexpr ErrorClass error = ErrorClass::request;
  static constexpr const char* what = "request";
  // Behind the null handle, and no name of the ABI: of all sends that are complete when their call returns.
  static constexpr std::uint32_t common = null + 1;
  static constexpr unsigned first_chunk_bits = 7;
};

struct InfoHandle : HandleKind<MPI_Info, InfoPtr, 6, 0x130, 8> {
  using Borrowed = Info&;
  static Info& borrow(const InfoPtr& owner) noexcept { return *owner; }
  static constexpr bool always_locked = true;
  static constexpr ErrorClass error = ErrorClass::info;
  static constexpr const char* what = "info object";
};

struct ErrhandlerHandle : HandleKind<MPI_Errhandler, ErrhandlerPtr, 7, 0x140, 8> {
  using Borrowed = const ErrhandlerPtr&;
  static const ErrhandlerPtr& borrow(const ErrhandlerPtr& owner) noexcept { return owner; }
  static constexpr bool always_locked = true;
  static constexpr ErrorClass error = ErrorClass::errhandler;
  static constexpr const char* what = "error handler";
  static constexpr bool gives_predefined = true;
  static constexpr bool shares_handle = true;
  static constexpr bool predefined_may_be_freed = true;
};

struct MessageHandle : HandleKind<MPI_Message, std::optional<p2p::Message>, 8, 0x128, 8> {
  using Borrowed = const p2p::Message&;
  static const p2p::Message& borrow(const Owner& owner) noexcept { return *owner; }
  static constexpr ErrorClass error = ErrorClass::arg;
  static constexpr const char* what = "message";
  // Nothing was matched at MPI_PROC_NULL: MPI_MESSAGE_NO_PROC (§3.8.2).
  static std::uint32_t constant(const Owner& owner) noexcept { return owner->unexpected ? 0 : first + 1; }
};

struct SessionHandle : HandleKind<MPI_Session, SessionPtr, 9, 0x120, 8> {
  using Borrowed = Session&;
  static Session& borrow(const SessionPtr& owner) noexcept { return *owner; }
  static constexpr bool always_locked = true;
  static constexpr ErrorClass error = ErrorClass::session;
  static constexpr const char* what = "session";
};

struct WinHandle : HandleKind<MPI_Win, Window*, 10, 0x110, 8>, Plain<Window> {
  static constexpr ErrorClass error = ErrorClass::win;
  static constexpr const char* what = "window";
  static constexpr bool counts_retired = true;  // threads remember their last window (last_window.hpp)
};

struct FileHandle : HandleKind<MPI_File, File*, 11, 0x118, 8>, Plain<File> {
  static constexpr ErrorClass error = ErrorClass::file;
  static constexpr const char* what = "file";
};

// How many ranks the rank arguments of calls on the object may name.
inline int peer_count(const Communicator& comm) noexcept
{
  return comm.peer_count();
}
inline int peer_count(const Window& window) noexcept
{
  return window.size();
}

}  // namespace api
}  // namespace ranklet
