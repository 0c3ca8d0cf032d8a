// Made from the table of MPI functions.
#include "fortran/glue.hpp"

namespace ranklet::fortran {
extern "C" {

void mpi_send_(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const int code = MPI_Send(choice(buf), *count, handle<MPI_Datatype>(*datatype), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_send_"))) void mpi_send(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_send_"))) void mpi_send__(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_send_"))) void MPI_SEND(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void mpi_send_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Send(buf_.address(), buf_.count<int>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_send_f08ts_"))) void mpi_send_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_send_f08ts_"))) void mpi_send_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_send_f08ts_"))) void MPI_SEND_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void mpi_send_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Send_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_send_c_f08ts_"))) void mpi_send_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_send_c_f08ts_"))) void mpi_send_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_send_c_f08ts_"))) void MPI_SEND_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void pmpi_send_(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const int code = PMPI_Send(choice(buf), *count, handle<MPI_Datatype>(*datatype), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_send_"))) void pmpi_send(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_send_"))) void pmpi_send__(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_send_"))) void PMPI_SEND(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void pmpi_send_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Send(buf_.address(), buf_.count<int>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_send_f08ts_"))) void pmpi_send_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_send_f08ts_"))) void pmpi_send_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_send_f08ts_"))) void PMPI_SEND_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void pmpi_send_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Send_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_send_c_f08ts_"))) void pmpi_send_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_send_c_f08ts_"))) void pmpi_send_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_send_c_f08ts_"))) void PMPI_SEND_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void mpi_recv_(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror)
{
  const int code = MPI_Recv(choice(buf), *count, handle<MPI_Datatype>(*datatype), *source, *tag, handle<MPI_Comm>(*comm), choice(status));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_recv_"))) void mpi_recv(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_recv_"))) void mpi_recv__(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_recv_"))) void MPI_RECV(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);

void mpi_recv_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Recv(buf_.address(), buf_.count<int>(), buf_.type(), *source, *tag, handle<MPI_Comm>(*comm), choice(status));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_recv_f08ts_"))) void mpi_recv_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_recv_f08ts_"))) void mpi_recv_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_recv_f08ts_"))) void MPI_RECV_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);

void mpi_recv_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Recv_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *source, *tag, handle<MPI_Comm>(*comm), choice(status));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_recv_c_f08ts_"))) void mpi_recv_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_recv_c_f08ts_"))) void mpi_recv_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_recv_c_f08ts_"))) void MPI_RECV_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);

void pmpi_recv_(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror)
{
  const int code = PMPI_Recv(choice(buf), *count, handle<MPI_Datatype>(*datatype), *source, *tag, handle<MPI_Comm>(*comm), choice(status));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_recv_"))) void pmpi_recv(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_recv_"))) void pmpi_recv__(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_recv_"))) void PMPI_RECV(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);

void pmpi_recv_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Recv(buf_.address(), buf_.count<int>(), buf_.type(), *source, *tag, handle<MPI_Comm>(*comm), choice(status));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_recv_f08ts_"))) void pmpi_recv_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_recv_f08ts_"))) void pmpi_recv_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_recv_f08ts_"))) void PMPI_RECV_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);

void pmpi_recv_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Recv_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *source, *tag, handle<MPI_Comm>(*comm), choice(status));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_recv_c_f08ts_"))) void pmpi_recv_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_recv_c_f08ts_"))) void pmpi_recv_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_recv_c_f08ts_"))) void PMPI_RECV_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* source, const int* tag, const int* comm, MPI_Status* status, int* ierror);

void mpi_ssend_(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const int code = MPI_Ssend(choice(buf), *count, handle<MPI_Datatype>(*datatype), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_ssend_"))) void mpi_ssend(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_ssend_"))) void mpi_ssend__(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_ssend_"))) void MPI_SSEND(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void mpi_ssend_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Ssend(buf_.address(), buf_.count<int>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_ssend_f08ts_"))) void mpi_ssend_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_ssend_f08ts_"))) void mpi_ssend_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_ssend_f08ts_"))) void MPI_SSEND_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void mpi_ssend_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = MPI_Ssend_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_ssend_c_f08ts_"))) void mpi_ssend_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_ssend_c_f08ts_"))) void mpi_ssend_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("mpi_ssend_c_f08ts_"))) void MPI_SSEND_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void pmpi_ssend_(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const int code = PMPI_Ssend(choice(buf), *count, handle<MPI_Datatype>(*datatype), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_ssend_"))) void pmpi_ssend(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_ssend_"))) void pmpi_ssend__(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_ssend_"))) void PMPI_SSEND(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void pmpi_ssend_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Ssend(buf_.address(), buf_.count<int>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_ssend_f08ts_"))) void pmpi_ssend_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_ssend_f08ts_"))) void pmpi_ssend_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_ssend_f08ts_"))) void PMPI_SSEND_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void pmpi_ssend_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  const int code = PMPI_Ssend_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm));
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_ssend_c_f08ts_"))) void pmpi_ssend_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_ssend_c_f08ts_"))) void pmpi_ssend_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);
__attribute__((alias("pmpi_ssend_c_f08ts_"))) void PMPI_SSEND_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* ierror);

void mpi_isend_(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror)
{
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = MPI_Isend(choice(buf), *count, handle<MPI_Datatype>(*datatype), *dest, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_isend_"))) void mpi_isend(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_isend_"))) void mpi_isend__(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_isend_"))) void MPI_ISEND(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);

void mpi_isend_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = MPI_Isend(buf_.address(), buf_.count<int>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_isend_f08ts_"))) void mpi_isend_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_isend_f08ts_"))) void mpi_isend_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_isend_f08ts_"))) void MPI_ISEND_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);

void mpi_isend_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = MPI_Isend_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_isend_c_f08ts_"))) void mpi_isend_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_isend_c_f08ts_"))) void mpi_isend_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_isend_c_f08ts_"))) void MPI_ISEND_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);

void pmpi_isend_(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror)
{
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = PMPI_Isend(choice(buf), *count, handle<MPI_Datatype>(*datatype), *dest, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_isend_"))) void pmpi_isend(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_isend_"))) void pmpi_isend__(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_isend_"))) void PMPI_ISEND(void* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);

void pmpi_isend_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = PMPI_Isend(buf_.address(), buf_.count<int>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_isend_f08ts_"))) void pmpi_isend_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_isend_f08ts_"))) void pmpi_isend_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_isend_f08ts_"))) void PMPI_ISEND_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);

void pmpi_isend_c_f08ts_(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = PMPI_Isend_c(buf_.address(), buf_.count<MPI_Count>(), buf_.type(), *dest, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_isend_c_f08ts_"))) void pmpi_isend_c_f08ts(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_isend_c_f08ts_"))) void pmpi_isend_c_f08ts__(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_isend_c_f08ts_"))) void PMPI_ISEND_C_F08TS(CFI_cdesc_t* buf, const MPI_Count* count, const int* datatype, const int* dest, const int* tag, const int* comm, int* request, int* ierror);

void mpi_irecv_(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror)
{
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = MPI_Irecv(choice(buf), *count, handle<MPI_Datatype>(*datatype), *source, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_irecv_"))) void mpi_irecv(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_irecv_"))) void mpi_irecv__(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_irecv_"))) void MPI_IRECV(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);

void mpi_irecv_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = MPI_Irecv(buf_.address(), buf_.count<int>(), buf_.type(), *source, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_irecv_f08ts_"))) void mpi_irecv_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_irecv_f08ts_"))) void mpi_irecv_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("mpi_irecv_f08ts_"))) void MPI_IRECV_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);

void pmpi_irecv_(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror)
{
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = PMPI_Irecv(choice(buf), *count, handle<MPI_Datatype>(*datatype), *source, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_irecv_"))) void pmpi_irecv(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_irecv_"))) void pmpi_irecv__(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_irecv_"))) void PMPI_IRECV(void* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);

void pmpi_irecv_f08ts_(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror)
{
  const Strided buf_(buf, *count, handle<MPI_Datatype>(*datatype));
  MPI_Request request_ = handle<MPI_Request>(*request);
  const int code = PMPI_Irecv(buf_.address(), buf_.count<int>(), buf_.type(), *source, *tag, handle<MPI_Comm>(*comm), &request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_irecv_f08ts_"))) void pmpi_irecv_f08ts(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_irecv_f08ts_"))) void pmpi_irecv_f08ts__(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);
__attribute__((alias("pmpi_irecv_f08ts_"))) void PMPI_IRECV_F08TS(CFI_cdesc_t* buf, const int* count, const int* datatype, const int* source, const int* tag, const int* comm, int* request, int* ierror);

void mpi_wait_(int* request, MPI_Status* status, int* ierror)
{
  MPI_Request request_ = handle<MPI_Request>(*request);
  const Completions completions_(&request_, 1);
  const int code = MPI_Wait(&request_, choice(status));
  completions_.all(&request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("mpi_wait_"))) void mpi_wait(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_wait_"))) void mpi_wait__(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_wait_"))) void MPI_WAIT(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_wait_"))) void mpi_wait_f08_(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_wait_"))) void mpi_wait_f08(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_wait_"))) void mpi_wait_f08__(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("mpi_wait_"))) void MPI_WAIT_F08(int* request, MPI_Status* status, int* ierror);

void pmpi_wait_(int* request, MPI_Status* status, int* ierror)
{
  MPI_Request request_ = handle<MPI_Request>(*request);
  const Completions completions_(&request_, 1);
  const int code = PMPI_Wait(&request_, choice(status));
  completions_.all(&request_);
  *request = number(request_);
  if (ierror != nullptr) *ierror = code;
}
__attribute__((alias("pmpi_wait_"))) void pmpi_wait(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_wait_"))) void pmpi_wait__(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_wait_"))) void PMPI_WAIT(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_wait_"))) void pmpi_wait_f08_(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_wait_"))) void pmpi_wait_f08(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_wait_"))) void pmpi_wait_f08__(int* request, MPI_Status* status, int* ierror);
__attribute__((alias("pmpi_wait_"))) void PMPI_WAIT_F08(int* request, MPI_Status* status, int* ierror);

}  // extern "C"
}  // namespace ranklet::fortran
