! The module mpi_f08: types, operators, large counts, sections.
program ring
  use mpi_f08
  implicit none
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: comm
  integer :: rank, ranks, a(4, 6), b(4, 6), i, j, from, to, n
  integer(kind=MPI_COUNT_KIND) :: large
  real(8) :: x(20), y(20)

  if (.not. MPI_SUBARRAYS_SUPPORTED .or. .not. MPI_ASYNC_PROTECTS_NONBLOCKING) error stop 1
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  from = modulo(rank - 1, ranks)
  to = modulo(rank + 1, ranks)
  a = reshape([(100 * rank + i, i = 1, 24)], [4, 6])
  b = -1
  call MPI_Sendrecv(a(1:4:2, :), 12, MPI_INTEGER, to, 0, b(4:1:-2, 6:1:-1), 12, MPI_INTEGER, from, 0, &
                    MPI_COMM_WORLD, status)
  if (status%MPI_SOURCE /= from) error stop 2
  call MPI_Get_count(status, MPI_INTEGER, n)
  if (n /= 12) error stop 3
  do j = 1, 6
    do i = 1, 4
      if (mod(i, 2) == 1) then
        if (b(i, j) /= -1) error stop 4
      else
        ! b(4, 6) is the first element, b(2, 6) the second, b(4, 5) the third.
        if (b(i, j) /= 100 * from + 1 + (4 - i) + 4 * (6 - j)) error stop 5
      end if
    end do
  end do

  large = 10
  x = rank
  call MPI_Irecv(y(2:20:2), large, MPI_DOUBLE_PRECISION, from, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(x(1:19:2), 10, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  if (any(y(2:20:2) /= from)) error stop 6
  if (requests(1) /= MPI_REQUEST_NULL) error stop 7

  x = [(i, i = 1, 20)]
  y = -1
  call MPI_Iallreduce(x(1:20:2), y(20:1:-2), 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  if (any(y(20:1:-2) /= ranks * x(1:20:2)) .or. any(y(1:19:2) /= -1)) error stop 8
  call MPI_Allreduce(MPI_IN_PLACE, x(3:9:3), 3, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (any(x /= [(i, i = 1, 20)])) error stop 9

  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  if (comm == MPI_COMM_WORLD) error stop 10
  call MPI_Comm_free(comm)
  if (rank == 0) print *, 'ring of', ranks
  call MPI_Finalize()
end program
