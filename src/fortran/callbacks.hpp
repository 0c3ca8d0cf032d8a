// Functions that Fortran programs provide. Operators and error handlers get references to numbers and handles in C too,
// so C calls them directly. The others get a state of ours as extra_state, with the procedures and Fortran's own state;
// functions of C read that and call the procedures by reference.
#pragma once

#include <mpi.h>

#include "fortran/attribute_cells.hpp"
#include "fortran/values.hpp"

namespace ranklet::fortran {

// The functions of a key, and its state in Fortran. It lives as long as the key's attributes, which nobody can tell.
template <class Handle>
struct Keyval {
  Procedure* copy;
  Procedure* remove;
  MPI_Aint state;

  using CopyFunction = int(Handle, int, void*, void*, void*, int*);
  using DeleteFunction = int(Handle, int, void*, void*);

  // The predefined procedures become C's, which know attributes of both languages.
  static CopyFunction* copy_function(Procedure* procedure);
  static DeleteFunction* delete_function(Procedure* procedure);

  static int call_copy(Handle object, int keyval, void* extra, void* in, void* out, int* flag);
  static int call_delete(Handle object, int keyval, void* value, void* extra);
};

// MPI_KEYVAL_CREATE: all integers are default ones.
struct OldKeyval {
  Procedure* copy;
  Procedure* remove;
  int state;

  static MPI_Copy_function* copy_function(Procedure* procedure);
  static MPI_Delete_function* delete_function(Procedure* procedure);
  static int call_copy(MPI_Comm object, int keyval, void* extra, void* in, void* out, int* flag);
  static int call_delete(MPI_Comm object, int keyval, void* value, void* extra);
};

struct Grequest {
  Procedure* query_procedure;
  Procedure* free_procedure;
  Procedure* cancel_procedure;
  MPI_Aint state;

  static int query(void* extra, MPI_Status* status);
  static int free(void* extra);  // the last call for the request
  static int cancel(void* extra, int complete);
};

struct Datarep {
  Procedure* read_procedure;
  Procedure* write_procedure;
  Procedure* extent_procedure;
  MPI_Aint state;

  static int extent(MPI_Datatype datatype, MPI_Aint* extent, void* extra);
  static int read(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra);
  static int write(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra);
  static int read_c(void* user, MPI_Datatype datatype, MPI_Count count, void* file, MPI_Offset position, void* extra);
  static int write_c(void* user, MPI_Datatype datatype, MPI_Count count, void* file, MPI_Offset position, void* extra);

  static MPI_Datarep_conversion_function* conversion(Procedure* procedure, MPI_Datarep_conversion_function* call);
  static MPI_Datarep_conversion_function_c* conversion_c(Procedure* procedure, MPI_Datarep_conversion_function_c* call);
};

}  // namespace ranklet::fortran
