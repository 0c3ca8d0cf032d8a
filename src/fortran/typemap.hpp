// The type map of a datatype (MPI 5.0 §5.1), read through MPI_Type_get_contents_c.
#pragma once

#include <mpi.h>

#include "fortran/plain_list.hpp"

namespace ranklet::fortran {

class TypeMap {
 public:
  struct Entry {
    MPI_Count place;
    MPI_Count bytes;
    MPI_Datatype type;  // predefined
  };

  explicit TypeMap(MPI_Datatype datatype) { add(datatype, 0); }
  const List<Entry>& entries() const { return entries_; }

 private:
  void add(MPI_Datatype datatype, MPI_Count place);
  void add_blocks(MPI_Datatype datatype, MPI_Count n, MPI_Count place, MPI_Count extent);
  void add_contents(MPI_Datatype datatype, MPI_Count place, int combiner, MPI_Count integers,
                    MPI_Count addresses, MPI_Count large, MPI_Count datatypes);
  void add_probed(MPI_Datatype datatype, MPI_Datatype element, MPI_Count place);

  List<Entry> entries_;
};

}  // namespace ranklet::fortran
