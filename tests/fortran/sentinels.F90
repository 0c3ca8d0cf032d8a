! Uses the objects that stand for special values, from wherever it is linked in: the subroutine's name and the interface
! come from the command line.
subroutine NAME()
#if defined(F08)
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi_f08
  implicit none
  type(c_ptr) :: detached
  type(MPI_Comm) :: graph
  type(MPI_Datatype) :: type
  type(MPI_Request) :: requests(2)
#elif defined(F90)
  use mpi
  implicit none
  integer :: detached(2)
  integer :: graph, type, requests(2)
#else
  implicit none
  integer :: detached(2)
  include 'mpif.h'
  integer :: graph, type, requests(2)
#endif
  integer :: rank, ranks, left, right, n, m, ierror
  logical :: weighted
  integer(kind=MPI_ADDRESS_KIND) :: address(1)

  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0, ierror)
  n = rank
  call MPI_Irecv(m, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Ibsend(n, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  if (m /= left) error stop 'MPI_STATUSES_IGNORE, MPI_BUFFER_AUTOMATIC'
  call MPI_Sendrecv(n, 1, MPI_INTEGER, right, 0, m, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  if (any([MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ERRCODES_IGNORE] /= 1)) error stop 'something was written'
  n = 1
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (n /= ranks) error stop 'MPI_IN_PLACE'
  call MPI_Get_address(n, address(1), ierror)
  call MPI_Type_create_hindexed(1, [1], address, MPI_INTEGER, type, ierror)
  call MPI_Type_commit(type, ierror)
  n = rank
  call MPI_Bcast(MPI_BOTTOM, 1, type, ranks - 1, MPI_COMM_WORLD, ierror)
  call MPI_F_sync_reg(n)
  if (n /= ranks - 1) error stop 'MPI_BOTTOM'
  call MPI_Type_free(type, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., graph, ierror)
  call MPI_Dist_graph_neighbors_count(graph, n, m, weighted, ierror)
  if (weighted .or. n /= 1) error stop 'MPI_UNWEIGHTED'
  call MPI_Comm_free(graph, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [left], MPI_WEIGHTS_EMPTY, 0, [right], MPI_WEIGHTS_EMPTY, &
                                      MPI_INFO_NULL, .false., graph, ierror)
  call MPI_Dist_graph_neighbors_count(graph, n, m, weighted, ierror)
  if (.not. weighted) error stop 'MPI_WEIGHTS_EMPTY'
  call MPI_Comm_free(graph, ierror)
  call MPI_Buffer_detach(detached, n, ierror)
end subroutine
