! Sections with datatypes whose elements are found by packing: subarrays and distributed arrays keep their basic types, so
! that they match (MPI 5.0 section 3.3.1) and can be accumulated (section 12.3.4).
program typemap
  use mpi_f08
  implicit none
  real(8), asynchronous :: a(40), b(20)
  real(8) :: window_memory(20)
  integer :: rank, i
  type(MPI_Datatype) :: types(3), pair
  type(MPI_Win) :: win

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Type_create_subarray(1, [10], [4], [3], MPI_ORDER_FORTRAN, MPI_REAL8, types(1))
  call MPI_Type_create_darray(2, 0, 1, [8], [MPI_DISTRIBUTE_CYCLIC], [MPI_DISTRIBUTE_DFLT_DARG], [2], MPI_ORDER_FORTRAN, &
                              MPI_REAL8, types(2))
  call MPI_Type_create_hindexed_block(2, 1, [8_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND], MPI_REAL8, pair)
  call MPI_Type_create_subarray(1, [4], [2], [1], MPI_ORDER_C, pair, types(3))
  a = [(real(i, 8), i = 1, 40)]
  call MPI_Win_create(window_memory, 160_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_SELF, win)
  do i = 1, 3
    call MPI_Type_commit(types(i))
    b = 0
    call MPI_Sendrecv(a(1:40:2), 1, types(i), 0, 0, b, 4, MPI_REAL8, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call expect(b(1:4), 0d0)
    window_memory = 1
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(a(1:40:2), 1, types(i), 0, 0_MPI_ADDRESS_KIND, 4, MPI_REAL8, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call expect(window_memory(1:4), 1d0)
    call MPI_Type_free(types(i))
  end do
  call MPI_Type_free(pair)
  call MPI_Win_free(win)
  call MPI_Finalize()

contains

  subroutine expect(got, more)
    real(8), intent(in) :: got(4), more
    real(8), parameter :: places(4, 3) = reshape([3d0, 4d0, 5d0, 6d0, 0d0, 2d0, 4d0, 6d0, 3d0, 2d0, 5d0, 4d0], [4, 3])
    if (all(got == 2 * places(:, i) + 1 + more)) return
    print *, 'rank', rank, ', type', i, ':', got
    error stop 1
  end subroutine
end program
