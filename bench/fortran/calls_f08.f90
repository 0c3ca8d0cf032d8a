! Through mpi_f08: what main.c does through C.
subroutine f08_ping_pong(words, rank, calls)
  use mpi_f08
  implicit none
  integer, intent(inout) :: words(2)
  integer, intent(in) :: rank, calls
  integer :: i

  do i = 1, calls
    if (rank == 0) then
      call MPI_Send(words, 2, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
      call MPI_Recv(words, 2, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    else
      call MPI_Recv(words, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      words(1) = words(1) + 1
      call MPI_Send(words, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
    end if
  end do
end subroutine

! A section whose elements lie `rows` numbers apart.
subroutine f08_strided(matrix, rows, columns, rank, calls)
  use mpi_f08
  implicit none
  integer, intent(in) :: rows, columns, rank, calls
  double precision, intent(inout) :: matrix(rows, columns)
  integer :: i

  do i = 1, calls
    if (rank == 0) then
      call MPI_Send(matrix(2, :), columns, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
      call MPI_Recv(matrix(2, :), columns, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    else
      call MPI_Recv(matrix(2, :), columns, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      matrix(2, 1) = matrix(2, 1) + 1
      call MPI_Send(matrix(2, :), columns, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD)
    end if
  end do
end subroutine
