// Made from the table of MPI functions.
#include "fortran/glue.hpp"

namespace ranklet::fortran {
extern "C" {

void mpi_bcast_(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror)
{
  const int code = MPI_Bcast(choice(buffer), *count, handle<MPI_Datatype>(*datatype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_bcast_"))) void mpi_bcast(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_bcast_"))) void mpi_bcast__(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_bcast_"))) void MPI_BCAST(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);

void mpi_bcast_f08ts_(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror)
{
  const Strided buffer_(buffer, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Bcast(buffer_.address(), buffer_.count<int>(), buffer_.type(), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_bcast_f08ts_"))) void mpi_bcast_f08ts(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_bcast_f08ts_"))) void mpi_bcast_f08ts__(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_bcast_f08ts_"))) void MPI_BCAST_F08TS(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);

void mpi_bcast_c_f08ts_(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror)
{
  const Strided buffer_(buffer, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Bcast_c(buffer_.address(), buffer_.count<MPI_Count>(), buffer_.type(), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_bcast_c_f08ts_"))) void mpi_bcast_c_f08ts(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_bcast_c_f08ts_"))) void mpi_bcast_c_f08ts__(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_bcast_c_f08ts_"))) void MPI_BCAST_C_F08TS(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror);

void pmpi_bcast_(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror)
{
  const int code = PMPI_Bcast(choice(buffer), *count, handle<MPI_Datatype>(*datatype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_bcast_"))) void pmpi_bcast(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_bcast_"))) void pmpi_bcast__(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_bcast_"))) void PMPI_BCAST(void* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);

void pmpi_bcast_f08ts_(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror)
{
  const Strided buffer_(buffer, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Bcast(buffer_.address(), buffer_.count<int>(), buffer_.type(), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_bcast_f08ts_"))) void pmpi_bcast_f08ts(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_bcast_f08ts_"))) void pmpi_bcast_f08ts__(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_bcast_f08ts_"))) void PMPI_BCAST_F08TS(CFI_cdesc_t* buffer, const int* count, const int* datatype, const int* root, const int* comm, int* ierror);

void pmpi_bcast_c_f08ts_(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror)
{
  const Strided buffer_(buffer, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Bcast_c(buffer_.address(), buffer_.count<MPI_Count>(), buffer_.type(), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_bcast_c_f08ts_"))) void pmpi_bcast_c_f08ts(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_bcast_c_f08ts_"))) void pmpi_bcast_c_f08ts__(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_bcast_c_f08ts_"))) void PMPI_BCAST_C_F08TS(CFI_cdesc_t* buffer, const MPI_Count* count, const int* datatype, const int* root, const int* comm, int* ierror);

void mpi_gather_(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror)
{
  const int code = MPI_Gather(choice(sendbuf), *sendcount, handle<MPI_Datatype>(*sendtype), choice(recvbuf), *recvcount, handle<MPI_Datatype>(*recvtype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_gather_"))) void mpi_gather(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_gather_"))) void mpi_gather__(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_gather_"))) void MPI_GATHER(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);

void mpi_gather_f08ts_(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror)
{
  Copied sendbuf_(sendbuf, false);
  Copied recvbuf_(recvbuf, true);
  const int code = MPI_Gather(sendbuf_.address(), *sendcount, handle<MPI_Datatype>(*sendtype), recvbuf_.address(), *recvcount, handle<MPI_Datatype>(*recvtype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_gather_f08ts_"))) void mpi_gather_f08ts(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_gather_f08ts_"))) void mpi_gather_f08ts__(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_gather_f08ts_"))) void MPI_GATHER_F08TS(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);

void mpi_gather_c_f08ts_(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror)
{
  Copied sendbuf_(sendbuf, false);
  Copied recvbuf_(recvbuf, true);
  const int code = MPI_Gather_c(sendbuf_.address(), *sendcount, handle<MPI_Datatype>(*sendtype), recvbuf_.address(), *recvcount, handle<MPI_Datatype>(*recvtype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_gather_c_f08ts_"))) void mpi_gather_c_f08ts(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_gather_c_f08ts_"))) void mpi_gather_c_f08ts__(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("mpi_gather_c_f08ts_"))) void MPI_GATHER_C_F08TS(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);

void pmpi_gather_(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror)
{
  const int code = PMPI_Gather(choice(sendbuf), *sendcount, handle<MPI_Datatype>(*sendtype), choice(recvbuf), *recvcount, handle<MPI_Datatype>(*recvtype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_gather_"))) void pmpi_gather(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_gather_"))) void pmpi_gather__(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_gather_"))) void PMPI_GATHER(void* sendbuf, const int* sendcount, const int* sendtype, void* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);

void pmpi_gather_f08ts_(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror)
{
  Copied sendbuf_(sendbuf, false);
  Copied recvbuf_(recvbuf, true);
  const int code = PMPI_Gather(sendbuf_.address(), *sendcount, handle<MPI_Datatype>(*sendtype), recvbuf_.address(), *recvcount, handle<MPI_Datatype>(*recvtype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_gather_f08ts_"))) void pmpi_gather_f08ts(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_gather_f08ts_"))) void pmpi_gather_f08ts__(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_gather_f08ts_"))) void PMPI_GATHER_F08TS(CFI_cdesc_t* sendbuf, const int* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const int* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);

void pmpi_gather_c_f08ts_(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror)
{
  Copied sendbuf_(sendbuf, false);
  Copied recvbuf_(recvbuf, true);
  const int code = PMPI_Gather_c(sendbuf_.address(), *sendcount, handle<MPI_Datatype>(*sendtype), recvbuf_.address(), *recvcount, handle<MPI_Datatype>(*recvtype), *root, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_gather_c_f08ts_"))) void pmpi_gather_c_f08ts(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_gather_c_f08ts_"))) void pmpi_gather_c_f08ts__(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);
__attribute__((alias("pmpi_gather_c_f08ts_"))) void PMPI_GATHER_C_F08TS(CFI_cdesc_t* sendbuf, const MPI_Count* sendcount, const int* sendtype, CFI_cdesc_t* recvbuf, const MPI_Count* recvcount, const int* recvtype, const int* root, const int* comm, int* ierror);

}  // extern "C"
}  // namespace ranklet::fortran
