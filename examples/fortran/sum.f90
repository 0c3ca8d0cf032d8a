! What the test calls: the sum of all ranks' numbers, passed from rank to rank around a ring.
subroutine ring_sum(comm_handle, mine, total) bind(C)
  use mpi_f08
  implicit none
  integer, value :: comm_handle, mine
  integer, intent(out) :: total
  type(MPI_Comm) :: comm
  integer :: rank, size, step, travelling
  comm%MPI_VAL = comm_handle
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, size)
  total = mine
  travelling = mine
  do step = 1, size - 1
    call MPI_Sendrecv_replace(travelling, 1, MPI_INTEGER, modulo(rank + 1, size), 0, modulo(rank - 1, size), 0, comm, &
                              MPI_STATUS_IGNORE)
    total = total + travelling
  end do
end subroutine
