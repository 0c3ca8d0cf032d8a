// Attribute keys with the program's functions (MPI 5.0 §7.7), for all kinds of objects that have attributes.
#pragma once

#include "api/handles/rank_state.hpp"

namespace ranklet::api {

// Object is the core's, Table the rank's table of its handles; Copy and Delete are the function types of
// mpi.h.
template <class Object, class Table, class Copy, class Delete>
class UserKeyval final : public Keyval {
 public:
  // A null function does nothing: MPI_*_NULL_COPY_FN, MPI_*_NULL_DELETE_FN. `dup_fn` is MPI_*_DUP_FN.
  UserKeyval(Kind kind, Table& handles, Copy* copy_fn, Copy* dup_fn, Delete* delete_fn, void* extra_state)
      : Keyval(kind),
        handles_(handles),
        copy_(copy_fn),
        dup_(dup_fn),
        delete_(delete_fn),
        extra_state_(extra_state)
  {
  }

  int copy(void* object, void* value, void** made, bool* wanted) override
  {
    *wanted = false;
    if (!copy_) return MPI_SUCCESS;
    if (copy_ == dup_) {
      *wanted = true;
      *made = value;
      return MPI_SUCCESS;
    }
    int flag = 0;
    const int code = copy_(handle(object), number(), extra_state_, value, made, &flag);
    *wanted = flag != 0;
    return code;
  }

  int remove(void* object, void* value) override
  {
    return delete_ ? delete_(handle(object), number(), value, extra_state_) : MPI_SUCCESS;
  }

 private:
  auto handle(void* object) { return handles_.handle_of(*static_cast<Object*>(object)); }

  Table& handles_;
  Copy* const copy_;
  Copy* const dup_;
  Delete* const delete_;
  void* const extra_state_;
};

template <class Object, class Table, class Copy, class Delete>
KeyvalPtr make_keyval(Keyval::Kind kind, Table& handles, Copy* copy, Copy* dup, Delete* remove,
                      void* extra_state)
{
  return std::make_shared<UserKeyval<Object, Table, Copy, Delete>>(kind, handles, copy, dup, remove,
                                                                   extra_state);
}

}  // namespace ranklet::api
