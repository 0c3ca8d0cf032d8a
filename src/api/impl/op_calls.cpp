// Operators (MPI 5.0 §6.9.5).
#include <algorithm>

#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

namespace {

// The handle by which the calling rank knows a type.
MPI_Datatype type_handle(const Datatype& type)
{
  return current_rank()->api->types.handle_of(type);
}

void call_normal(void* function, const void* in, void* inout, Count n, const Datatype& type)
{
  MPI_Datatype handle = type_handle(type);
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(inout);
  while (n > 0) {
    int length = static_cast<int>(std::min<Count>(n, INT_MAX));
    reinterpret_cast<MPI_User_function*>(function)(const_cast<char*>(from), to, &length, &handle);
    const Count done = std::min<Count>(n, INT_MAX);
    n -= done;
    from += done * type.extent();
    to += done * type.extent();
  }
}

void call_large(void* function, const void* in, void* inout, Count n, const Datatype& type)
{
  MPI_Datatype handle = type_handle(type);
  MPI_Count length = n;
  reinterpret_cast<MPI_User_function_c*>(function)(const_cast<void*>(in), inout, &length, &handle);
}

}  // namespace

void Op_create(Rank&, Callback user_fn, bool commute, Ref<Op>& op)
{
  void (*const function)() = user_fn.as<void()>();
  if (!function) fail(ErrorClass::arg, "the function is a null pointer");
  op = Op::create(user_fn.large() ? call_large : call_normal, reinterpret_cast<void*>(function), commute);
}

// The object goes with its last use.
void Op_free(Rank&, Op&) {}

void Op_commutative(Rank&, Op& op, bool& commute)
{
  commute = op.is_commutative();
}

}  // namespace ranklet::api::impl
