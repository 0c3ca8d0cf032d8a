#include "fortran/callbacks.hpp"

namespace ranklet::fortran {

// What Fortran programs name as arguments: made by src/api/generator/fortran_glue.py, where the names are taken already.
namespace predefined {
extern Procedure comm_null_copy_fn __asm__("mpi_comm_null_copy_fn_");
extern Procedure comm_dup_fn __asm__("mpi_comm_dup_fn_");
extern Procedure comm_null_delete_fn __asm__("mpi_comm_null_delete_fn_");
extern Procedure type_null_copy_fn __asm__("mpi_type_null_copy_fn_");
extern Procedure type_dup_fn __asm__("mpi_type_dup_fn_");
extern Procedure type_null_delete_fn __asm__("mpi_type_null_delete_fn_");
extern Procedure win_null_copy_fn __asm__("mpi_win_null_copy_fn_");
extern Procedure win_dup_fn __asm__("mpi_win_dup_fn_");
extern Procedure win_null_delete_fn __asm__("mpi_win_null_delete_fn_");
extern Procedure null_copy_fn __asm__("mpi_null_copy_fn_");
extern Procedure dup_fn __asm__("mpi_dup_fn_");
extern Procedure null_delete_fn __asm__("mpi_null_delete_fn_");
extern Procedure conversion_fn_null __asm__("mpi_conversion_fn_null_");
extern Procedure conversion_fn_null_c __asm__("mpi_conversion_fn_null_c_");
}  // namespace predefined

namespace {

bool is(Procedure* procedure, Procedure* other)
{
  return procedure == other;
}

// As C's functions return nothing in particular by default.
template <class Value, class State>
int copy_attribute(State& state, int object, int keyval, void* in, void* out, int* flag)
{
  Value value_in = static_cast<Value>(attribute_value(keyval, in)), value_out = 0;
  int copied = 0, error = MPI_SUCCESS;
  auto* const copy = reinterpret_cast<void (*)(int*, int*, Value*, Value*, Value*, int*, int*)>(state.copy);
  copy(&object, &keyval, &state.state, &value_in, &value_out, &copied, &error);
  *flag = truth(copied);
  if (*flag != 0) *static_cast<void**>(out) = attribute_cell(value_out);
  return error;
}

template <class Value, class State>
int delete_attribute(State& state, int object, int keyval, void* pointer)
{
  Value value = static_cast<Value>(attribute_value(keyval, pointer));
  int error = MPI_SUCCESS;
  auto* const remove = reinterpret_cast<void (*)(int*, int*, Value*, Value*, int*)>(state.remove);
  remove(&object, &keyval, &value, &state.state, &error);
  return error;
}

}  // namespace

template <class Handle>
auto Keyval<Handle>::copy_function(Procedure* procedure) -> CopyFunction*
{
  if (is(procedure, predefined::comm_null_copy_fn) || is(procedure, predefined::type_null_copy_fn) ||
      is(procedure, predefined::win_null_copy_fn))
    return reinterpret_cast<CopyFunction*>(MPI_COMM_NULL_COPY_FN);
  if (is(procedure, predefined::comm_dup_fn) || is(procedure, predefined::type_dup_fn) || is(procedure, predefined::win_dup_fn))
    return reinterpret_cast<CopyFunction*>(MPI_COMM_DUP_FN);
  return call_copy;
}

template <class Handle>
auto Keyval<Handle>::delete_function(Procedure* procedure) -> DeleteFunction*
{
  if (is(procedure, predefined::comm_null_delete_fn) || is(procedure, predefined::type_null_delete_fn) ||
      is(procedure, predefined::win_null_delete_fn))
    return reinterpret_cast<DeleteFunction*>(MPI_COMM_NULL_DELETE_FN);
  return call_delete;
}

template <class Handle>
int Keyval<Handle>::call_copy(Handle object, int keyval, void* extra, void* in, void* out, int* flag)
{
  return copy_attribute<MPI_Aint>(*static_cast<Keyval*>(extra), number(object), keyval, in, out, flag);
}

template <class Handle>
int Keyval<Handle>::call_delete(Handle object, int keyval, void* value, void* extra)
{
  return delete_attribute<MPI_Aint>(*static_cast<Keyval*>(extra), number(object), keyval, value);
}

template struct Keyval<MPI_Comm>;
template struct Keyval<MPI_Datatype>;
template struct Keyval<MPI_Win>;

MPI_Copy_function* OldKeyval::copy_function(Procedure* procedure)
{
  if (is(procedure, predefined::null_copy_fn)) return MPI_NULL_COPY_FN;
  return is(procedure, predefined::dup_fn) ? MPI_DUP_FN : call_copy;
}

MPI_Delete_function* OldKeyval::delete_function(Procedure* procedure)
{
  return is(procedure, predefined::null_delete_fn) ? MPI_NULL_DELETE_FN : call_delete;
}

int OldKeyval::call_copy(MPI_Comm object, int keyval, void* extra, void* in, void* out, int* flag)
{
  return copy_attribute<int>(*static_cast<OldKeyval*>(extra), number(object), keyval, in, out, flag);
}

int OldKeyval::call_delete(MPI_Comm object, int keyval, void* value, void* extra)
{
  return delete_attribute<int>(*static_cast<OldKeyval*>(extra), number(object), keyval, value);
}

int Grequest::query(void* extra, MPI_Status* status)
{
  auto& self = *static_cast<Grequest*>(extra);
  int error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, MPI_Status*, int*)>(self.query_procedure)(&self.state, status, &error);
  return error;
}

int Grequest::free(void* extra)
{
  auto* const self = static_cast<Grequest*>(extra);
  int error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, int*)>(self->free_procedure)(&self->state, &error);
  delete self;
  return error;
}

int Grequest::cancel(void* extra, int complete)
{
  auto& self = *static_cast<Grequest*>(extra);
  int error = MPI_SUCCESS, is_complete = logical(complete);
  reinterpret_cast<void (*)(MPI_Aint*, int*, int*)>(self.cancel_procedure)(&self.state, &is_complete, &error);
  return error;
}

int Datarep::extent(MPI_Datatype datatype, MPI_Aint* extent, void* extra)
{
  auto& self = *static_cast<Datarep*>(extra);
  int type = number(datatype), error = MPI_SUCCESS;
  reinterpret_cast<void (*)(int*, MPI_Aint*, MPI_Aint*, int*)>(self.extent_procedure)(&type, extent, &self.state, &error);
  return error;
}

namespace {

template <class Number>
int convert(Procedure* procedure, MPI_Aint& state, void* user, MPI_Datatype datatype, Number count, void* file,
            MPI_Offset position)
{
  int type = number(datatype), error = MPI_SUCCESS;
  using Conversion = void(void*, int*, Number*, void*, MPI_Offset*, MPI_Aint*, int*);
  reinterpret_cast<Conversion*>(procedure)(user, &type, &count, file, &position, &state, &error);
  return error;
}

}  // namespace

int Datarep::read(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra)
{
  auto& self = *static_cast<Datarep*>(extra);
  return convert(self.read_procedure, self.state, user, datatype, count, file, position);
}

int Datarep::write(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra)
{
  auto& self = *static_cast<Datarep*>(extra);
  return convert(self.write_procedure, self.state, user, datatype, count, file, position);
}

int Datarep::read_c(void* user, MPI_Datatype datatype, MPI_Count count, void* file, MPI_Offset position, void* extra)
{
  auto& self = *static_cast<Datarep*>(extra);
  return convert(self.read_procedure, self.state, user, datatype, count, file, position);
}

int Datarep::write_c(void* user, MPI_Datatype datatype, MPI_Count count, void* file, MPI_Offset position, void* extra)
{
  auto& self = *static_cast<Datarep*>(extra);
  return convert(self.write_procedure, self.state, user, datatype, count, file, position);
}

MPI_Datarep_conversion_function* Datarep::conversion(Procedure* procedure, MPI_Datarep_conversion_function* call)
{
  return is(procedure, predefined::conversion_fn_null) ? MPI_CONVERSION_FN_NULL : call;
}

MPI_Datarep_conversion_function_c* Datarep::conversion_c(Procedure* procedure, MPI_Datarep_conversion_function_c* call)
{
  return is(procedure, predefined::conversion_fn_null_c) ? MPI_CONVERSION_FN_NULL_C : call;
}

}  // namespace ranklet::fortran
