! Sections that live as copies until requests are complete: what each way of completing does with them.
program pending
  use mpi_f08
  implicit none
  integer, asynchronous :: a(4, 10), b(4, 10)
  integer :: rank, ranks, i, way, indices(2), n, code, expected(10), flat(20)
  logical :: flag
  type(MPI_Request) :: requests(2), one
  type(MPI_Datatype) :: every_fourth, interleaved

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! What MPI_Request_get_status and its like say is complete is there to be read, though the request stays.
  do way = 1, 4
    call start_allreduce(requests(1))
    requests(2) = MPI_REQUEST_NULL
    flag = .false.
    do while (.not. flag)
      select case (way)
      case (1)
        call MPI_Request_get_status(requests(1), flag, MPI_STATUS_IGNORE)
      case (2)
        call MPI_Request_get_status_all(2, requests, flag, MPI_STATUSES_IGNORE)
      case (3)
        call MPI_Request_get_status_any(2, requests, i, flag, MPI_STATUS_IGNORE)
      case (4)
        call MPI_Request_get_status_some(2, requests, n, indices, MPI_STATUSES_IGNORE)
        flag = n == 1
      end select
    end do
    call expect(all(b(3, :) == expected), 'a section after MPI_Request_get_status and its like', way)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  end do

  ! A request that is not active does nothing to the section when others are waited for.
  call MPI_Allreduce_init(a(2, :), b(3, :), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one)
  a = 1
  b = 0
  call MPI_Start(one)
  call MPI_Wait(one, MPI_STATUS_IGNORE)
  call expect(all(b(3, :) == ranks), 'a persistent reduction', 0)
  b = 7
  do way = 1, 3
    requests = [one, MPI_REQUEST_NULL]
    if (way == 1) call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    if (way == 2) call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE)
    if (way == 3) call MPI_Request_get_status(one, flag, MPI_STATUS_IGNORE)
    call expect(all(b == 7), 'the section of an inactive request', way)
  end do
  ! A collective operation cannot be freed while it is active (MPI 5.0 section 6.13): it goes on.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Start(one)
  call MPI_Request_free(one, code)
  call expect(code /= MPI_SUCCESS .and. one /= MPI_REQUEST_NULL, 'freeing an active collective operation', code)
  call MPI_Wait(one, MPI_STATUS_IGNORE)
  call expect(all(b(3, :) == ranks), 'a collective operation that was not freed', 0)
  call MPI_Request_free(one)

  ! Partitions whose elements lie between those of others.
  call MPI_Type_vector(3, 1, 4, MPI_INTEGER, every_fourth)
  call MPI_Type_create_resized(every_fourth, 0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, interleaved)
  call MPI_Type_commit(interleaved)
  call MPI_Psend_init(a(1:4:2, :), 4, 1_MPI_COUNT_KIND, interleaved, modulo(rank + 1, ranks), 7, MPI_COMM_WORLD, &
                      MPI_INFO_NULL, requests(1))
  call MPI_Precv_init(b(1:4:2, :), 4, 1_MPI_COUNT_KIND, interleaved, modulo(rank - 1, ranks), 7, MPI_COMM_WORLD, &
                      MPI_INFO_NULL, requests(2))
  b = 0
  a = 0
  call MPI_Startall(2, requests)
  a = reshape([(i, i = 1, 40)], [4, 10])
  do i = 3, 0, -1
    call MPI_Pready(i, requests(1))
  end do
  do i = 0, 3
    flag = .false.
    do while (.not. flag)
      call MPI_Parrived(requests(2), i, flag)
    end do
    flat = [b(1:4:2, :)]
    call expect(all(flat(i + 1:i + 9:4) == 2 * [i, i + 4, i + 8] + 1), 'a partition', i)
  end do
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call expect(all([b(1:4:2, 1:6)] == [(2 * i + 1, i = 0, 11)]) .and. all(b(:, 7:) == 0), 'all partitions', 0)
  do i = 1, 2
    call MPI_Request_free(requests(i))
  end do
  call MPI_Type_free(every_fourth)
  call MPI_Type_free(interleaved)

  ! A call with wrong arguments has no indices, whatever the variables were before.
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  n = huge(n)
  indices = 5
  call MPI_Waitsome(-1, requests, n, indices, MPI_STATUSES_IGNORE, code)
  call expect(code /= MPI_SUCCESS .and. all(indices == 5), 'MPI_Waitsome with a negative count', code)
  call MPI_Finalize()

contains

  subroutine start_allreduce(request)
    type(MPI_Request), intent(out) :: request
    a = reshape([(i + rank, i = 1, 40)], [4, 10])
    b = 0
    expected = [(ranks * (4 * i - 2) + ranks * (ranks - 1) / 2, i = 1, 10)]
    call MPI_Iallreduce(a(2, :), b(3, :), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  end subroutine

  subroutine expect(right, what, where)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    integer, intent(in) :: where
    if (right) return
    print '(a, i0, 3a, i0)', 'rank ', rank, ': ', what, ', ', where
    error stop 1
  end subroutine
end program
