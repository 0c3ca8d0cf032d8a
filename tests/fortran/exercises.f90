! One call, or a few that belong together, of each family of routines that takes buffers: what tests of array sections do with
! a section and with its packed copy.
module exercises
  use mpi_f08
  implicit none
  integer, parameter :: families = 36
  integer :: rank, ranks, left, right, seed
  integer(8) :: state
  type(MPI_Comm) :: ring
  type(MPI_File) :: file
contains

  ! Arguments of the program: number of cases, seed.
  subroutine prepare(cases)
    integer, intent(inout) :: cases
    character(len=20) :: text

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = modulo(rank + 1, ranks)
    left = modulo(rank - 1, ranks)
    call system_clock(state)
    seed = int(mod(state, 1000000007_8))
    if (command_argument_count() > 0) then
      call get_command_argument(1, text)
      read (text, *) cases
    end if
    if (command_argument_count() > 1) then
      call get_command_argument(2, text)
      read (text, *) seed
    end if
    call MPI_Bcast(seed, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) print *, 'seed', seed
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    write (text, '(a,i0,a,i0)') 's.', seed, '.', ranks
    call MPI_File_open(MPI_COMM_WORLD, text, ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                       MPI_INFO_NULL, file)
    call MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL)
  end subroutine

  subroutine finish()
    call MPI_Comm_free(ring)
    call MPI_File_close(file)
    call MPI_Finalize()
  end subroutine

  integer function random(n)
    integer, intent(in) :: n
    state = iand(state * 6364136223846793005_8 + 1442695040888963407_8, huge(state))
    random = int(mod(ishft(state, -20), int(n, 8)))
  end function

  ! Bounds and strides of a section of an array of these extents. Of so many dimensions in ten it has all.
  subroutine draw_section(extents, whole, lo, hi, st, elements)
    integer, intent(in) :: extents(:), whole
    integer, intent(out) :: lo(:), hi(:), st(:), elements
    integer :: d, k

    elements = 1
    do d = 1, size(extents)
      st(d) = 1 + random(3)
      lo(d) = 1 + random(extents(d))
      hi(d) = lo(d) + random(extents(d) - lo(d) + 1)
      if (random(10) < whole) then
        st(d) = 1
        lo(d) = 1
        hi(d) = extents(d)
      end if
      k = (hi(d) - lo(d)) / st(d)
      elements = elements * (k + 1)
      if (random(2) == 0) then
        hi(d) = lo(d)
        lo(d) = lo(d) + st(d) * k
        st(d) = -st(d)
      end if
    end do
  end subroutine

  ! On buffers of at least n elements, of `bytes` bytes each, which reductions take for `element`. Items are what `type`
  ! describes; a whole number of elements makes one.
  subroutine exercise(family, x, y, items, type, n, element, bytes)
    integer, intent(in) :: family, items, n, bytes
    type(*), dimension(..), asynchronous, intent(inout) :: x, y
    type(MPI_Datatype), intent(in) :: type, element
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    type(MPI_Message) :: message
    type(MPI_Win) :: window
    integer :: i, share, position, counts(ranks), displs(ranks)
    integer, allocatable, asynchronous :: memory(:)
    type(MPI_Datatype) :: types(ranks)
    integer(kind=MPI_COUNT_KIND) :: large
    logical :: flag

    large = items
    share = items / ranks
    counts = share
    displs = [(i * share, i = ranks - 1, 0, -1)]
    types = type
    select case (family)
    case (1)
      call MPI_Sendrecv(x, items, type, right, 1, y, items, type, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    case (2)
      call MPI_Irecv(y, large, type, left, 2, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(x, items, type, right, 2, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, statuses)
    case (3)
      call MPI_Recv_init(y, items, type, left, 3, MPI_COMM_WORLD, requests(1))
      call MPI_Send_init(x, items, type, right, 3, MPI_COMM_WORLD, requests(2))
      do i = 1, 2
        call MPI_Startall(2, requests)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      end do
      call MPI_Request_free(requests(1))
      call MPI_Request_free(requests(2))
    case (4)
      call MPI_Bcast(x, items, type, ranks - 1, MPI_COMM_WORLD)
    case (5)
      call MPI_Ibcast(x, large, type, 0, MPI_COMM_WORLD, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    case (6)
      call MPI_Sendrecv_replace(x, items, type, right, 6, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    case (7)
      call MPI_Isend(x, items, type, right, 7, MPI_COMM_WORLD, requests(1))
      call MPI_Mprobe(left, 7, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
      call MPI_Mrecv(y, items, type, message, MPI_STATUS_IGNORE)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    case (8)
      call MPI_Gather(x, share, type, y, share, type, 0, MPI_COMM_WORLD)
    case (9)
      call MPI_Scatter(x, share, type, y, share, type, ranks - 1, MPI_COMM_WORLD)
    case (10)
      call MPI_Allgather(x, share, type, y, share, type, MPI_COMM_WORLD)
    case (11)
      call MPI_Alltoall(x, share, type, y, share, type, MPI_COMM_WORLD)
    case (12)
      call MPI_Igatherv(x, share, type, y, counts, displs, type, 0, MPI_COMM_WORLD, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    case (13)
      call MPI_Ialltoallv(x, counts, displs, type, y, counts, displs, type, MPI_COMM_WORLD, requests(1))
      flag = .false.
      do while (.not. flag)
        call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE)
      end do
    case (14)
      displs = displs * bytes * (n / max(items, 1))
      call MPI_Alltoallw(x, counts, displs, types, y, counts, displs, types, MPI_COMM_WORLD)
    case (15)
      call MPI_Scatterv(x, counts, displs, type, y, share, type, 0, MPI_COMM_WORLD)
    case (16)
      call MPI_Allgatherv(x, share, type, y, counts, displs, type, MPI_COMM_WORLD)
    case (17)
      call MPI_Allreduce(x, y, n, element, MPI_SUM, MPI_COMM_WORLD)
    case (18)
      call MPI_Iallreduce(MPI_IN_PLACE, x, n, element, MPI_BXOR, MPI_COMM_WORLD, requests(1))
      call MPI_Waitany(1, requests(1:1), i, MPI_STATUS_IGNORE)
    case (19)
      call MPI_Reduce(x, y, n, element, MPI_MAX, ranks - 1, MPI_COMM_WORLD)
    case (20)
      call MPI_Scan(x, y, n, element, MPI_SUM, MPI_COMM_WORLD)
    case (21)
      call MPI_Exscan(x, y, n, element, MPI_SUM, MPI_COMM_WORLD)
    case (22)
      call MPI_Reduce_scatter_block(x, y, n / ranks, element, MPI_SUM, MPI_COMM_WORLD)
    case (23)
      counts = n / ranks
      call MPI_Ireduce_scatter(x, y, counts, element, MPI_MIN, MPI_COMM_WORLD, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    case (24)
      call MPI_Allreduce_init(x, y, n, element, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
      do i = 1, 2
        call MPI_Start(requests(1))
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      end do
      call MPI_Request_free(requests(1))
    case (25)
      call MPI_Reduce_local(x, y, n, element, MPI_SUM)
    case (26)
      allocate (memory(2 * n + 16))
      position = 0
      call MPI_Pack(x, items, type, memory, 8 * n + 64, position, MPI_COMM_WORLD)
      position = 0
      call MPI_Unpack(memory, 8 * n + 64, position, y, items, type, MPI_COMM_WORLD)
    case (27)
      allocate (memory(n))
      memory = -7
      call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND * n, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
      call MPI_Win_fence(0, window)
      call MPI_Put(x, items, type, right, 0_MPI_ADDRESS_KIND, items, type, window)
      call MPI_Win_fence(0, window)
      call MPI_Get(y, items, type, right, 0_MPI_ADDRESS_KIND, items, type, window)
      call MPI_Win_fence(0, window)
      call MPI_Win_free(window)
    case (28)
      allocate (memory(n))
      memory = 3
      call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND * n, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
      call MPI_Win_fence(0, window)
      call MPI_Accumulate(x, n, element, right, 0_MPI_ADDRESS_KIND, n, element, MPI_SUM, window)
      call MPI_Win_fence(0, window)
      call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window)
      call MPI_Rget(y, n, element, rank, 0_MPI_ADDRESS_KIND, n, element, window, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      call MPI_Win_unlock(rank, window)
      call MPI_Win_free(window)
    case (29)
      call MPI_File_write_at_all(file, 200000_MPI_OFFSET_KIND * rank, x, items, type, MPI_STATUS_IGNORE)
      call MPI_File_read_at_all(file, 200000_MPI_OFFSET_KIND * rank, y, items, type, MPI_STATUS_IGNORE)
    case (30)
      call MPI_File_iwrite_at(file, 200000_MPI_OFFSET_KIND * rank, x, items, type, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      call MPI_File_read_at_all_begin(file, 200000_MPI_OFFSET_KIND * rank, y, items, type)
      call MPI_File_read_at_all_end(file, y, MPI_STATUS_IGNORE)
    case (31)
      large = share
      call MPI_Psend_init(x, ranks, large, type, right, 31, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
      call MPI_Precv_init(y, ranks, large, type, left, 31, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
      call MPI_Startall(2, requests)
      call MPI_Pready_range(0, ranks - 1, requests(1))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call MPI_Request_free(requests(1))
      call MPI_Request_free(requests(2))
    case (32)
      call MPI_Neighbor_alltoall(x, items / 2, type, y, items / 2, type, ring)
    case (33)
      call MPI_Ineighbor_allgather(x, items / 2, type, y, items / 2, type, ring, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    case (34)
      call MPI_Issend(x, items, type, right, 34, MPI_COMM_WORLD, requests(1))
      call MPI_Recv(y, large, type, left, 34, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Waitsome(1, requests(1:1), i, counts(1:1), MPI_STATUSES_IGNORE)
    case (35)
      call MPI_Bcast_init(x, items, type, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
      call MPI_Start(requests(1))
      call MPI_Waitall(1, requests(1:1), MPI_STATUSES_IGNORE)
      call MPI_Request_free(requests(1))
    case (36)
      call MPI_Isendrecv(x, items, type, right, 36, y, items, type, left, 36, MPI_COMM_WORLD, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    end select
  end subroutine
end module
