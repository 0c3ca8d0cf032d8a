module mpi
use, intrinsic :: iso_c_binding, only: c_ptr
use mpi_f08_types
implicit none
private :: c_ptr
integer, parameter :: MPI_COMM_NULL = 256
integer, parameter :: MPI_COMM_WORLD = 257
integer, parameter :: MPI_DATATYPE_NULL = 512
integer, parameter :: MPI_INT = 521
integer, parameter :: MPI_C_COMPLEX_INT = 521
integer, parameter :: MPI_REQUEST_NULL = 384
LOGICAL MPI_SUBARRAYS_SUPPORTED
PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
INTEGER MPI_BOTTOM
INTEGER MPI_IN_PLACE
INTEGER MPI_BUFFER_AUTOMATIC
INTEGER MPI_STATUS_IGNORE(8)
INTEGER MPI_STATUSES_IGNORE(8, 1)
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
interface
SUBROUTINE MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: dest
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: dest
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: source
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: status(MPI_STATUS_SIZE)
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: source
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: status(MPI_STATUS_SIZE)
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: dest
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: dest
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: dest
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: request
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: dest
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: request
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: source
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: request
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  TYPE(*), DIMENSION(*) :: buf
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: source
  INTEGER :: tag
  INTEGER :: comm
  INTEGER :: request
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Wait(request, status, ierror)
  IMPORT
  INTEGER :: request
  INTEGER :: status(MPI_STATUS_SIZE)
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Wait(request, status, ierror)
  IMPORT
  INTEGER :: request
  INTEGER :: status(MPI_STATUS_SIZE)
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Bcast(buffer, count, datatype, root, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
  TYPE(*), DIMENSION(*) :: buffer
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: root
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Bcast(buffer, count, datatype, root, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
  TYPE(*), DIMENSION(*) :: buffer
  INTEGER :: count
  INTEGER :: datatype
  INTEGER :: root
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
  TYPE(*), DIMENSION(*) :: sendbuf
  INTEGER :: sendcount
  INTEGER :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
  TYPE(*), DIMENSION(*) :: recvbuf
  INTEGER :: recvcount
  INTEGER :: recvtype
  INTEGER :: root
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
  IMPORT
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
  TYPE(*), DIMENSION(*) :: sendbuf
  INTEGER :: sendcount
  INTEGER :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
  TYPE(*), DIMENSION(*) :: recvbuf
  INTEGER :: recvcount
  INTEGER :: recvtype
  INTEGER :: root
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Comm_rank(comm, rank, ierror)
  IMPORT
  INTEGER :: comm
  INTEGER :: rank
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Comm_rank(comm, rank, ierror)
  IMPORT
  INTEGER :: comm
  INTEGER :: rank
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Comm_dup(comm, newcomm, ierror)
  IMPORT
  INTEGER :: comm
  INTEGER :: newcomm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Comm_dup(comm, newcomm, ierror)
  IMPORT
  INTEGER :: comm
  INTEGER :: newcomm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE MPI_Comm_free(comm, ierror)
  IMPORT
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
SUBROUTINE PMPI_Comm_free(comm, ierror)
  IMPORT
  INTEGER :: comm
  INTEGER :: ierror
END SUBROUTINE
subroutine MPI_COMM_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_COMM_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_COMM_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  INTEGER :: object
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_TYPE_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_TYPE_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_TYPE_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  INTEGER :: object
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_WIN_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_WIN_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_WIN_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  INTEGER :: object
  integer :: keyval, ierror
  INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_NULL_COPY_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_DUP_FN(old, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  INTEGER :: old
  integer :: keyval, ierror
  INTEGER :: extra_state, value_in, value_out
  logical :: flag
end subroutine
subroutine MPI_NULL_DELETE_FN(object, keyval, attribute_val, extra_state, ierror)
  import
  INTEGER :: object
  integer :: keyval, ierror
  INTEGER :: attribute_val, extra_state
end subroutine
subroutine MPI_CONVERSION_FN_NULL(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  import
!GCC$ ATTRIBUTES NO_ARG_CHECK :: userbuf, filebuf
  type(*), dimension(*) :: userbuf, filebuf
  integer :: datatype
  integer :: count
  integer(kind=MPI_OFFSET_KIND) :: position
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
end subroutine
subroutine MPI_Sizeof(x, size, ierror) bind(C, name="mpi_sizeof_f08ts_")
  type(*), dimension(..) :: x
  integer, intent(out) :: size
  integer, intent(out) :: ierror
end subroutine
subroutine PMPI_Sizeof(x, size, ierror) bind(C, name="pmpi_sizeof_f08ts_")
  type(*), dimension(..) :: x
  integer, intent(out) :: size
  integer, intent(out) :: ierror
end subroutine
subroutine MPI_F_sync_reg(buf)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  type(*), dimension(*) :: buf
end subroutine
subroutine PMPI_F_sync_reg(buf)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
  type(*), dimension(*) :: buf
end subroutine
end interface
end module
