// What C asks about the Fortran compiler (MPI 5.0 §20.2): told when the library is loaded into a rank, so
// that a C program with a Fortran library learns it, too.
//
// The values are those of gfortran, whose modules these are: the same in all versions for this machine.
#include <mpi.h>

namespace ranklet::fortran {
namespace {

struct Fact {
  const char* key;
  const char* value;
};

constexpr Fact facts[] = {
    {"mpi_logical_size", "4"},
    {"mpi_integer_size", "4"},
    {"mpi_real_size", "4"},
    {"mpi_double_precision_size", "8"},
    {"mpi_logical1_supported", "true"},
    {"mpi_logical2_supported", "true"},
    {"mpi_logical4_supported", "true"},
    {"mpi_logical8_supported", "true"},
    {"mpi_logical16_supported", "true"},
    {"mpi_integer1_supported", "true"},
    {"mpi_integer2_supported", "true"},
    {"mpi_integer4_supported", "true"},
    {"mpi_integer8_supported", "true"},
    {"mpi_integer16_supported", "true"},
    {"mpi_real2_supported", "false"},
    {"mpi_real4_supported", "true"},
    {"mpi_real8_supported", "true"},
    {"mpi_real16_supported", "true"},
    {"mpi_complex4_supported", "false"},
    {"mpi_complex8_supported", "true"},
    {"mpi_complex16_supported", "true"},
    {"mpi_complex32_supported", "true"},
    {"mpi_double_complex_supported", "true"},
};

// Once for a rank: also where a second library of this kind is opened, or a program has told it itself.
[[gnu::constructor]] void describe_compiler()
{
  MPI_Info info = MPI_INFO_NULL;
  PMPI_Abi_get_fortran_info(&info);
  const bool is_known = info != MPI_INFO_NULL;
  if (is_known) {
    PMPI_Info_free(&info);
    return;
  }
  PMPI_Info_create(&info);
  for (const Fact& fact : facts) PMPI_Info_set(info, fact.key, fact.value);
  PMPI_Abi_set_fortran_info(info);
  PMPI_Info_free(&info);
  for (int size = 1; size <= 16; size *= 2) {
    unsigned char no[16] = {};
    unsigned char yes[16] = {1};
    PMPI_Abi_set_fortran_booleans(size, yes, no);
  }
}

}  // namespace
}  // namespace ranklet::fortran
