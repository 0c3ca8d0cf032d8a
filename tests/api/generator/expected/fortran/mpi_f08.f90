module mpi_f08
use, intrinsic :: iso_c_binding, only: c_ptr
use mpi_f08_types
use mpi_f08_callbacks
implicit none
private :: c_ptr
type(MPI_Comm), parameter :: MPI_COMM_NULL = MPI_Comm(256)
type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(257)
type(MPI_Datatype), parameter :: MPI_DATATYPE_NULL = MPI_Datatype(512)
type(MPI_Datatype), parameter :: MPI_INT = MPI_Datatype(521)
type(MPI_Datatype), parameter :: MPI_C_COMPLEX_INT = MPI_Datatype(521)
type(MPI_Request), parameter :: MPI_REQUEST_NULL = MPI_Request(384)
LOGICAL MPI_SUBARRAYS_SUPPORTED
PARAMETER (MPI_SUBARRAYS_SUPPORTED=.TRUE.)
LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.TRUE.)
INTEGER MPI_BOTTOM
INTEGER MPI_IN_PLACE
INTEGER MPI_BUFFER_AUTOMATIC
TYPE(MPI_Status) :: MPI_STATUS_IGNORE
TYPE(MPI_Status) :: MPI_STATUSES_IGNORE(1)
INTEGER MPI_ERRCODES_IGNORE(1)
INTEGER MPI_UNWEIGHTED(1)
INTEGER MPI_WEIGHTS_EMPTY(1)
CHARACTER(LEN=1) MPI_ARGV_NULL(1)
CHARACTER(LEN=1) MPI_ARGVS_NULL(1, 1)
CHARACTER(LEN=1) MPI_SENTINELS_END(2)
COMMON /ranklet_fortran_sentinels/ MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC, MPI_STATUS_IGNORE, &
    MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ARGV_NULL, MPI_ARGVS_NULL, &
    MPI_SENTINELS_END
BIND(C, NAME="ranklet_fortran_sentinels") :: /ranklet_fortran_sentinels/
interface MPI_Send
subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="mpi_send_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine MPI_Send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="mpi_send_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Send
subroutine PMPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="pmpi_send_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine PMPI_Send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="pmpi_send_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Recv
subroutine MPI_Recv_f08ts(buf, count, datatype, source, tag, comm, status, ierror) bind(C, name="mpi_recv_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: source
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Status) :: status
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine MPI_Recv_c_f08ts(buf, count, datatype, source, tag, comm, status, ierror) bind(C, name="mpi_recv_c_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: source
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Status) :: status
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Recv
subroutine PMPI_Recv_f08ts(buf, count, datatype, source, tag, comm, status, ierror) bind(C, name="pmpi_recv_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: source
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Status) :: status
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine PMPI_Recv_c_f08ts(buf, count, datatype, source, tag, comm, status, ierror) bind(C, name="pmpi_recv_c_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: source
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Status) :: status
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Ssend
subroutine MPI_Ssend_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="mpi_ssend_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine MPI_Ssend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="mpi_ssend_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Ssend
subroutine PMPI_Ssend_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="pmpi_ssend_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine PMPI_Ssend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="pmpi_ssend_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Isend
subroutine MPI_Isend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) bind(C, name="mpi_isend_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Request), INTENT(OUT) :: request
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine MPI_Isend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) bind(C, name="mpi_isend_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Request), INTENT(OUT) :: request
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Isend
subroutine PMPI_Isend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) bind(C, name="pmpi_isend_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Request), INTENT(OUT) :: request
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine PMPI_Isend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) bind(C, &
    name="pmpi_isend_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS :: buf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: dest
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Request), INTENT(OUT) :: request
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Irecv
subroutine MPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror) bind(C, name="mpi_irecv_f08ts_")
  import
  TYPE(*), DIMENSION(..), ASYNCHRONOUS :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: source
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Request), INTENT(OUT) :: request
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Irecv
subroutine PMPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror) bind(C, name="pmpi_irecv_f08ts_")
  import
  TYPE(*), DIMENSION(..), ASYNCHRONOUS :: buf
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: source
  INTEGER, INTENT(IN) :: tag
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Request), INTENT(OUT) :: request
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Wait
subroutine MPI_Wait_f08(request, status, ierror)
  import
  TYPE(MPI_Request), INTENT(INOUT) :: request
  TYPE(MPI_Status) :: status
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Wait
subroutine PMPI_Wait_f08(request, status, ierror)
  import
  TYPE(MPI_Request), INTENT(INOUT) :: request
  TYPE(MPI_Status) :: status
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Bcast
subroutine MPI_Bcast_f08ts(buffer, count, datatype, root, comm, ierror) bind(C, name="mpi_bcast_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buffer
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine MPI_Bcast_c_f08ts(buffer, count, datatype, root, comm, ierror) bind(C, name="mpi_bcast_c_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buffer
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Bcast
subroutine PMPI_Bcast_f08ts(buffer, count, datatype, root, comm, ierror) bind(C, name="pmpi_bcast_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buffer
  INTEGER, INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine PMPI_Bcast_c_f08ts(buffer, count, datatype, root, comm, ierror) bind(C, name="pmpi_bcast_c_f08ts_")
  import
  TYPE(*), DIMENSION(..) :: buffer
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
  TYPE(MPI_Datatype), INTENT(IN) :: datatype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Gather
subroutine MPI_Gather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror) bind(C, &
    name="mpi_gather_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
  INTEGER, INTENT(IN) :: sendcount
  TYPE(MPI_Datatype), INTENT(IN) :: sendtype
  TYPE(*), DIMENSION(..) :: recvbuf
  INTEGER, INTENT(IN) :: recvcount
  TYPE(MPI_Datatype), INTENT(IN) :: recvtype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine MPI_Gather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror) bind(C, &
    name="mpi_gather_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
  TYPE(MPI_Datatype), INTENT(IN) :: sendtype
  TYPE(*), DIMENSION(..) :: recvbuf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
  TYPE(MPI_Datatype), INTENT(IN) :: recvtype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Gather
subroutine PMPI_Gather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror) bind(C, &
    name="pmpi_gather_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
  INTEGER, INTENT(IN) :: sendcount
  TYPE(MPI_Datatype), INTENT(IN) :: sendtype
  TYPE(*), DIMENSION(..) :: recvbuf
  INTEGER, INTENT(IN) :: recvcount
  TYPE(MPI_Datatype), INTENT(IN) :: recvtype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
subroutine PMPI_Gather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror) bind(C, &
    name="pmpi_gather_c_f08ts_")
  import
  TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
  TYPE(MPI_Datatype), INTENT(IN) :: sendtype
  TYPE(*), DIMENSION(..) :: recvbuf
  INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
  TYPE(MPI_Datatype), INTENT(IN) :: recvtype
  INTEGER, INTENT(IN) :: root
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Comm_rank
subroutine MPI_Comm_rank_f08(comm, rank, ierror)
  import
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, INTENT(OUT) :: rank
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Comm_rank
subroutine PMPI_Comm_rank_f08(comm, rank, ierror)
  import
  TYPE(MPI_Comm), INTENT(IN) :: comm
  INTEGER, INTENT(OUT) :: rank
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Comm_dup
subroutine MPI_Comm_dup_f08(comm, newcomm, ierror)
  import
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Comm), INTENT(OUT) :: newcomm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Comm_dup
subroutine PMPI_Comm_dup_f08(comm, newcomm, ierror)
  import
  TYPE(MPI_Comm), INTENT(IN) :: comm
  TYPE(MPI_Comm), INTENT(OUT) :: newcomm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface MPI_Comm_free
subroutine MPI_Comm_free_f08(comm, ierror)
  import
  TYPE(MPI_Comm), INTENT(INOUT) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface PMPI_Comm_free
subroutine PMPI_Comm_free_f08(comm, ierror)
  import
  TYPE(MPI_Comm), INTENT(INOUT) :: comm
  INTEGER, OPTIONAL, INTENT(OUT) :: ierror
end subroutine
end interface
interface
subroutine MPI_COMM_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  TYPE(MPI_Comm) :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_COMM_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  TYPE(MPI_Comm) :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_COMM_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  TYPE(MPI_Comm) :: object
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_TYPE_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  TYPE(MPI_Datatype) :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_TYPE_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  TYPE(MPI_Datatype) :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_TYPE_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  TYPE(MPI_Datatype) :: object
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_WIN_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  TYPE(MPI_Win) :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_WIN_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  TYPE(MPI_Win) :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_WIN_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  TYPE(MPI_Win) :: object
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_CONVERSION_FN_NULL(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  use, intrinsic :: iso_c_binding, only: c_ptr
  import
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer :: count
  integer(kind=MPI_OFFSET_KIND) :: position
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
end subroutine
subroutine MPI_CONVERSION_FN_NULL_C(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  use, intrinsic :: iso_c_binding, only: c_ptr
  import
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer(kind=MPI_COUNT_KIND) :: count
  integer(kind=MPI_OFFSET_KIND) :: position
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
end subroutine
subroutine MPI_Sizeof(x, size, ierror) bind(C, name="mpi_sizeof_f08ts_")
  type(*), dimension(..) :: x
  integer, intent(out) :: size
  integer, optional, intent(out) :: ierror
end subroutine
subroutine PMPI_Sizeof(x, size, ierror) bind(C, name="pmpi_sizeof_f08ts_")
  type(*), dimension(..) :: x
  integer, intent(out) :: size
  integer, optional, intent(out) :: ierror
end subroutine
subroutine MPI_F_sync_reg(buf) bind(C, name="mpi_f_sync_reg_f08ts_")
  type(*), dimension(..), asynchronous :: buf
end subroutine
subroutine PMPI_F_sync_reg(buf) bind(C, name="pmpi_f_sync_reg_f08ts_")
  type(*), dimension(..), asynchronous :: buf
end subroutine
end interface
end module
