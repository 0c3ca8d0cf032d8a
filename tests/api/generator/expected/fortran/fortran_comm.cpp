// Made from the table of MPI functions.
#include "fortran/glue.hpp"

namespace ranklet::fortran {
extern "C" {

void mpi_comm_rank_(const int* comm, int* rank, int* ierror)
{
  const int code = MPI_Comm_rank(handle<MPI_Comm>(*comm), rank);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_comm_rank_"))) void mpi_comm_rank(const int* comm, int* rank, int* ierror);
__attribute__((alias("mpi_comm_rank_"))) void mpi_comm_rank__(const int* comm, int* rank, int* ierror);
__attribute__((alias("mpi_comm_rank_"))) void MPI_COMM_RANK(const int* comm, int* rank, int* ierror);
__attribute__((alias("mpi_comm_rank_"))) void mpi_comm_rank_f08_(const int* comm, int* rank, int* ierror);
__attribute__((alias("mpi_comm_rank_"))) void mpi_comm_rank_f08(const int* comm, int* rank, int* ierror);
__attribute__((alias("mpi_comm_rank_"))) void mpi_comm_rank_f08__(const int* comm, int* rank, int* ierror);
__attribute__((alias("mpi_comm_rank_"))) void MPI_COMM_RANK_F08(const int* comm, int* rank, int* ierror);

void pmpi_comm_rank_(const int* comm, int* rank, int* ierror)
{
  const int code = PMPI_Comm_rank(handle<MPI_Comm>(*comm), rank);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_comm_rank_"))) void pmpi_comm_rank(const int* comm, int* rank, int* ierror);
__attribute__((alias("pmpi_comm_rank_"))) void pmpi_comm_rank__(const int* comm, int* rank, int* ierror);
__attribute__((alias("pmpi_comm_rank_"))) void PMPI_COMM_RANK(const int* comm, int* rank, int* ierror);
__attribute__((alias("pmpi_comm_rank_"))) void pmpi_comm_rank_f08_(const int* comm, int* rank, int* ierror);
__attribute__((alias("pmpi_comm_rank_"))) void pmpi_comm_rank_f08(const int* comm, int* rank, int* ierror);
__attribute__((alias("pmpi_comm_rank_"))) void pmpi_comm_rank_f08__(const int* comm, int* rank, int* ierror);
__attribute__((alias("pmpi_comm_rank_"))) void PMPI_COMM_RANK_F08(const int* comm, int* rank, int* ierror);

void mpi_comm_dup_(const int* comm, int* newcomm, int* ierror)
{
  MPI_Comm newcomm_ = handle<MPI_Comm>(*newcomm);
  const int code = MPI_Comm_dup(handle<MPI_Comm>(*comm), &newcomm_);
  *newcomm = number(newcomm_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_comm_dup_"))) void mpi_comm_dup(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("mpi_comm_dup_"))) void mpi_comm_dup__(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("mpi_comm_dup_"))) void MPI_COMM_DUP(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("mpi_comm_dup_"))) void mpi_comm_dup_f08_(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("mpi_comm_dup_"))) void mpi_comm_dup_f08(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("mpi_comm_dup_"))) void mpi_comm_dup_f08__(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("mpi_comm_dup_"))) void MPI_COMM_DUP_F08(const int* comm, int* newcomm, int* ierror);

void pmpi_comm_dup_(const int* comm, int* newcomm, int* ierror)
{
  MPI_Comm newcomm_ = handle<MPI_Comm>(*newcomm);
  const int code = PMPI_Comm_dup(handle<MPI_Comm>(*comm), &newcomm_);
  *newcomm = number(newcomm_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_comm_dup_"))) void pmpi_comm_dup(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("pmpi_comm_dup_"))) void pmpi_comm_dup__(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("pmpi_comm_dup_"))) void PMPI_COMM_DUP(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("pmpi_comm_dup_"))) void pmpi_comm_dup_f08_(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("pmpi_comm_dup_"))) void pmpi_comm_dup_f08(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("pmpi_comm_dup_"))) void pmpi_comm_dup_f08__(const int* comm, int* newcomm, int* ierror);
__attribute__((alias("pmpi_comm_dup_"))) void PMPI_COMM_DUP_F08(const int* comm, int* newcomm, int* ierror);

void mpi_comm_free_(int* comm, int* ierror)
{
  MPI_Comm comm_ = handle<MPI_Comm>(*comm);
  const int code = MPI_Comm_free(&comm_);
  *comm = number(comm_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_comm_free_"))) void mpi_comm_free(int* comm, int* ierror);
__attribute__((alias("mpi_comm_free_"))) void mpi_comm_free__(int* comm, int* ierror);
__attribute__((alias("mpi_comm_free_"))) void MPI_COMM_FREE(int* comm, int* ierror);
__attribute__((alias("mpi_comm_free_"))) void mpi_comm_free_f08_(int* comm, int* ierror);
__attribute__((alias("mpi_comm_free_"))) void mpi_comm_free_f08(int* comm, int* ierror);
__attribute__((alias("mpi_comm_free_"))) void mpi_comm_free_f08__(int* comm, int* ierror);
__attribute__((alias("mpi_comm_free_"))) void MPI_COMM_FREE_F08(int* comm, int* ierror);

void pmpi_comm_free_(int* comm, int* ierror)
{
  MPI_Comm comm_ = handle<MPI_Comm>(*comm);
  const int code = PMPI_Comm_free(&comm_);
  *comm = number(comm_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_comm_free_"))) void pmpi_comm_free(int* comm, int* ierror);
__attribute__((alias("pmpi_comm_free_"))) void pmpi_comm_free__(int* comm, int* ierror);
__attribute__((alias("pmpi_comm_free_"))) void PMPI_COMM_FREE(int* comm, int* ierror);
__attribute__((alias("pmpi_comm_free_"))) void pmpi_comm_free_f08_(int* comm, int* ierror);
__attribute__((alias("pmpi_comm_free_"))) void pmpi_comm_free_f08(int* comm, int* ierror);
__attribute__((alias("pmpi_comm_free_"))) void pmpi_comm_free_f08__(int* comm, int* ierror);
__attribute__((alias("pmpi_comm_free_"))) void PMPI_COMM_FREE_F08(int* comm, int* ierror);

}  // extern "C"
}  // namespace ranklet::fortran
