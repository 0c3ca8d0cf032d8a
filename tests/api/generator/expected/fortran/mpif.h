! Made from the table of MPI functions. Lines are valid in fixed and in free form.
      INTEGER MPI_ADDRESS_KIND
      PARAMETER (MPI_ADDRESS_KIND=8)
      INTEGER MPI_OFFSET_KIND
      PARAMETER (MPI_OFFSET_KIND=8)
      INTEGER MPI_COUNT_KIND
      PARAMETER (MPI_COUNT_KIND=8)
      INTEGER MPI_INTEGER_KIND
      PARAMETER (MPI_INTEGER_KIND=4)
      INTEGER MPI_STATUS_SIZE
      PARAMETER (MPI_STATUS_SIZE=8)
      INTEGER MPI_ANY_SOURCE
      PARAMETER (MPI_ANY_SOURCE=-1)
      INTEGER MPI_PROC_NULL
      PARAMETER (MPI_PROC_NULL=-3)
      INTEGER MPI_UNDEFINED
      PARAMETER (MPI_UNDEFINED=-32766)
      INTEGER(8) MPI_DISPLACEMENT_CURRENT
      PARAMETER (MPI_DISPLACEMENT_CURRENT=-1_8)
      INTEGER MPI_COMM_NULL
      PARAMETER (MPI_COMM_NULL=256)
      INTEGER MPI_COMM_WORLD
      PARAMETER (MPI_COMM_WORLD=257)
      INTEGER MPI_DATATYPE_NULL
      PARAMETER (MPI_DATATYPE_NULL=512)
      INTEGER MPI_INT
      PARAMETER (MPI_INT=521)
      INTEGER MPI_C_COMPLEX_INT
      PARAMETER (MPI_C_COMPLEX_INT=521)
      INTEGER MPI_REQUEST_NULL
      PARAMETER (MPI_REQUEST_NULL=384)
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
      COMMON /ranklet_fortran_sentinels/ MPI_BOTTOM, MPI_IN_PLACE,      &
     &MPI_BUFFER_AUTOMATIC, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE,     &
     &MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY,           &
     &MPI_ARGV_NULL, MPI_ARGVS_NULL, MPI_SENTINELS_END
      BIND(C,                                                           &
     &NAME="ranklet_fortran_sentinels") :: /ranklet_fortran_sentinels/
      EXTERNAL MPI_COMM_NULL_COPY_FN
      EXTERNAL MPI_COMM_DUP_FN
      EXTERNAL MPI_COMM_NULL_DELETE_FN
      EXTERNAL MPI_TYPE_NULL_COPY_FN
      EXTERNAL MPI_TYPE_DUP_FN
      EXTERNAL MPI_TYPE_NULL_DELETE_FN
      EXTERNAL MPI_WIN_NULL_COPY_FN
      EXTERNAL MPI_WIN_DUP_FN
      EXTERNAL MPI_WIN_NULL_DELETE_FN
      EXTERNAL MPI_NULL_COPY_FN
      EXTERNAL MPI_DUP_FN
      EXTERNAL MPI_NULL_DELETE_FN
      EXTERNAL MPI_CONVERSION_FN_NULL
      INTERFACE
      SUBROUTINE MPI_SEND(buf, count, datatype, dest, tag, comm, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, dest
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, dest, tag, comm,   &
     &ierror
      END SUBROUTINE
      SUBROUTINE PMPI_SEND(buf, count, datatype, dest, tag, comm,       &
     &ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, dest
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, dest, tag, comm,   &
     &ierror
      END SUBROUTINE
      SUBROUTINE MPI_RECV(buf, count, datatype, source, tag, comm,      &
     &status, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, source
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: status, ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, source, tag, comm, &
     &status, ierror
      END SUBROUTINE
      SUBROUTINE PMPI_RECV(buf, count, datatype, source, tag, comm,     &
     &status, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, source
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: status, ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, source, tag, comm, &
     &status, ierror
      END SUBROUTINE
      SUBROUTINE MPI_SSEND(buf, count, datatype, dest, tag, comm,       &
     &ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, dest
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, dest, tag, comm,   &
     &ierror
      END SUBROUTINE
      SUBROUTINE PMPI_SSEND(buf, count, datatype, dest, tag, comm,      &
     &ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, dest
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, dest, tag, comm,   &
     &ierror
      END SUBROUTINE
      SUBROUTINE MPI_ISEND(buf, count, datatype, dest, tag, comm,       &
     &request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, dest
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: request, ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, dest, tag, comm,   &
     &request, ierror
      END SUBROUTINE
      SUBROUTINE PMPI_ISEND(buf, count, datatype, dest, tag, comm,      &
     &request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, dest
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: request, ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, dest, tag, comm,   &
     &request, ierror
      END SUBROUTINE
      SUBROUTINE MPI_IRECV(buf, count, datatype, source, tag, comm,     &
     &request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, source
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: request, ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, source, tag, comm, &
     &request, ierror
      END SUBROUTINE
      SUBROUTINE PMPI_IRECV(buf, count, datatype, source, tag, comm,    &
     &request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, source
!GCC$ ATTRIBUTES NO_ARG_CHECK :: tag, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: request, ierror
      INTEGER, DIMENSION(*) :: buf, count, datatype, source, tag, comm, &
     &request, ierror
      END SUBROUTINE
      SUBROUTINE MPI_WAIT(request, status, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: request, status
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: request, status, ierror
      END SUBROUTINE
      SUBROUTINE MPI_BCAST(buffer, count, datatype, root, comm, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, root
!GCC$ ATTRIBUTES NO_ARG_CHECK :: comm, ierror
      INTEGER, DIMENSION(*) :: buffer, count, datatype, root, comm,     &
     &ierror
      END SUBROUTINE
      SUBROUTINE PMPI_BCAST(buffer, count, datatype, root, comm, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer, count
!GCC$ ATTRIBUTES NO_ARG_CHECK :: datatype, root
!GCC$ ATTRIBUTES NO_ARG_CHECK :: comm, ierror
      INTEGER, DIMENSION(*) :: buffer, count, datatype, root, comm,     &
     &ierror
      END SUBROUTINE
      SUBROUTINE MPI_GATHER(sendbuf, sendcount, sendtype, recvbuf,      &
     &recvcount, recvtype, root, comm, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcount
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendtype, recvbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvcount, recvtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: root, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: sendbuf, sendcount, sendtype, recvbuf,   &
     &recvcount, recvtype, root, comm, ierror
      END SUBROUTINE
      SUBROUTINE PMPI_GATHER(sendbuf, sendcount, sendtype, recvbuf,     &
     &recvcount, recvtype, root, comm, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcount
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendtype, recvbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvcount, recvtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: root, comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ierror
      INTEGER, DIMENSION(*) :: sendbuf, sendcount, sendtype, recvbuf,   &
     &recvcount, recvtype, root, comm, ierror
      END SUBROUTINE
      END INTERFACE
      INTERFACE MPI_ALLREDUCE
      SUBROUTINE RANKLET_NO_ARGUMENTS()
      END SUBROUTINE
      PROCEDURE MPI_ALLREDUCE
      END INTERFACE
      INTERFACE MPI_INIT
      SUBROUTINE MPI_INIT(ierror)
      INTEGER(4) :: ierror
      END SUBROUTINE
      SUBROUTINE RANKLET_INIT_INTEGER8(ierror)
      INTEGER(8) :: ierror
      END SUBROUTINE
      END INTERFACE
      INTERFACE MPI_INIT_THREAD
      SUBROUTINE MPI_INIT_THREAD(required, provided, ierror)
      INTEGER(4) :: required, provided, ierror
      END SUBROUTINE
      SUBROUTINE RANKLET_INIT_THREAD_INTEGER8(required, provided,       &
     &ierror)
      INTEGER(8) :: required, provided, ierror
      END SUBROUTINE
      END INTERFACE
      INTERFACE PMPI_INIT
      SUBROUTINE PMPI_INIT(ierror)
      INTEGER(4) :: ierror
      END SUBROUTINE
      SUBROUTINE PRANKLET_INIT_INTEGER8(ierror)
      INTEGER(8) :: ierror
      END SUBROUTINE
      END INTERFACE
      INTERFACE PMPI_INIT_THREAD
      SUBROUTINE PMPI_INIT_THREAD(required, provided, ierror)
      INTEGER(4) :: required, provided, ierror
      END SUBROUTINE
      SUBROUTINE PRANKLET_INIT_THREAD_INTEGER8(required, provided,      &
     &ierror)
      INTEGER(8) :: required, provided, ierror
      END SUBROUTINE
      END INTERFACE
