! Array sections of rank 1 to 4 with random bounds and strides, in every family of routines that takes buffers, give what the
! same call gives on packed copies; elements outside stay as they were. Arguments: number of cases, seed.
module exercises
  use mpi_f08
  implicit none
  integer, parameter :: families = 36
  integer :: rank, ranks, left, right
  type(MPI_Comm) :: ring
  type(MPI_File) :: file
contains

  ! One call, or a few that belong together, on buffers of at least n integers. Items are what `type` describes.
  subroutine exercise(family, x, y, items, type, n)
    integer, intent(in) :: family, items, n
    integer, dimension(..), asynchronous, intent(inout) :: x, y
    type(MPI_Datatype), intent(in) :: type
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
      call MPI_Alltoallw(x, counts, displs * 4 * (n / max(items, 1)), types, y, counts, &
                         displs * 4 * (n / max(items, 1)), types, MPI_COMM_WORLD)
    case (15)
      call MPI_Scatterv(x, counts, displs, type, y, share, type, 0, MPI_COMM_WORLD)
    case (16)
      call MPI_Allgatherv(x, share, type, y, counts, displs, type, MPI_COMM_WORLD)
    case (17)
      call MPI_Allreduce(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    case (18)
      call MPI_Iallreduce(MPI_IN_PLACE, x, n, MPI_INTEGER, MPI_BXOR, MPI_COMM_WORLD, requests(1))
      call MPI_Waitany(1, requests(1:1), i, MPI_STATUS_IGNORE)
    case (19)
      call MPI_Reduce(x, y, n, MPI_INTEGER, MPI_MAX, ranks - 1, MPI_COMM_WORLD)
    case (20)
      call MPI_Scan(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    case (21)
      call MPI_Exscan(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    case (22)
      call MPI_Reduce_scatter_block(x, y, n / ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    case (23)
      counts = n / ranks
      call MPI_Ireduce_scatter(x, y, counts, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    case (24)
      call MPI_Allreduce_init(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
      do i = 1, 2
        call MPI_Start(requests(1))
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      end do
      call MPI_Request_free(requests(1))
    case (25)
      call MPI_Reduce_local(x, y, n, MPI_INTEGER, MPI_SUM)
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
      call MPI_Accumulate(x, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, MPI_SUM, window)
      call MPI_Win_fence(0, window)
      call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window)
      call MPI_Rget(y, n, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, window, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      call MPI_Win_unlock(rank, window)
      call MPI_Win_free(window)
    case (29)
      call MPI_File_write_at_all(file, 100000_MPI_OFFSET_KIND * rank, x, items, type, MPI_STATUS_IGNORE)
      call MPI_File_read_at_all(file, 100000_MPI_OFFSET_KIND * rank, y, items, type, MPI_STATUS_IGNORE)
    case (30)
      call MPI_File_iwrite_at(file, 100000_MPI_OFFSET_KIND * rank, x, items, type, requests(1))
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      call MPI_File_read_at_all_begin(file, 100000_MPI_OFFSET_KIND * rank, y, items, type)
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

program sections
  use exercises
  implicit none
  integer, parameter :: e(4) = [9, 7, 5, 4]
  integer, asynchronous :: a(9, 7, 5, 4), b(9, 7, 5, 4)
  integer :: a1(9, 7, 5, 4), b1(9, 7, 5, 4)
  integer, allocatable, asynchronous :: pa(:), pb(:)
  integer :: lo(4, 2), hi(4, 2), st(4, 2), number, cases, seed, i, d, family, dims, sizes(2), n, kind, unit, items, bad
  integer(8) :: state
  type(MPI_Datatype) :: types(4), type
  character(len=20) :: text

  cases = 2000
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
  types(1) = MPI_INTEGER
  call MPI_Type_contiguous(3, MPI_INTEGER, types(2))
  call MPI_Type_create_resized(types(2), 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, types(2))
  call MPI_Type_commit(types(2))
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, types(3))  ! two integers with a gap
  call MPI_Type_commit(types(3))
  call MPI_Type_contiguous(4, MPI_BYTE, types(4))
  call MPI_Type_commit(types(4))

  bad = 0
  do number = 1, cases
    ! The family, rank and type are the same everywhere, the sections each rank's own.
    state = seed + 7919_8 * number
    family = 1 + random(families)
    dims = 1 + random(4)
    kind = 1 + random(4)
    state = state + 104729_8 * (rank + 1)
    sizes = 1
    do i = 1, 2
      do d = 1, 4
        st(d, i) = 1 + random(3)
        lo(d, i) = 1 + random(e(d))
        hi(d, i) = lo(d, i) + random(e(d) - lo(d, i) + 1)
        if (d <= dims) sizes(i) = sizes(i) * ((hi(d, i) - lo(d, i)) / st(d, i) + 1)
        if (random(3) == 0) then
          hi(d, i) = lo(d, i) + st(d, i) * ((hi(d, i) - lo(d, i)) / st(d, i))
          call swap(lo(d, i), hi(d, i))
          st(d, i) = -st(d, i)
        end if
      end do
    end do
    n = minval(sizes)
    call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    type = types(kind)
    unit = merge(3, 1, kind == 2 .or. kind == 3)
    items = n / unit
    a = reshape([(1000 * rank + i, i = 1, size(a))], e)
    b = reshape([(-1000 * rank - i, i = 1, size(b))], e)
    a1 = a
    b1 = b
    n = unit * items
    select case (dims)
    case (1)
      pa = [a(lo(1, 1):hi(1, 1):st(1, 1), 2, 3, 4)]
      pb = [b(lo(1, 2):hi(1, 2):st(1, 2), 1, 2, 3)]
      call exercise(family, a(lo(1, 1):hi(1, 1):st(1, 1), 2, 3, 4), b(lo(1, 2):hi(1, 2):st(1, 2), 1, 2, 3), items, type, n)
      call exercise(family, pa, pb, items, type, n)
      a1(lo(1, 1):hi(1, 1):st(1, 1), 2, 3, 4) = pa
      b1(lo(1, 2):hi(1, 2):st(1, 2), 1, 2, 3) = pb
    case (2)
      pa = [a(lo(1, 1):hi(1, 1):st(1, 1), 7, lo(3, 1):hi(3, 1):st(3, 1), 4)]
      pb = [b(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2)]
      n = min(size(pa), size(pb))
      call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
      items = n / unit
      n = unit * items
      call exercise(family, a(lo(1, 1):hi(1, 1):st(1, 1), 7, lo(3, 1):hi(3, 1):st(3, 1), 4), &
                    b(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2), items, type, n)
      call exercise(family, pa, pb, items, type, n)
      a1(lo(1, 1):hi(1, 1):st(1, 1), 7, lo(3, 1):hi(3, 1):st(3, 1), 4) = &
        reshape(pa, shape(a1(lo(1, 1):hi(1, 1):st(1, 1), 7, lo(3, 1):hi(3, 1):st(3, 1), 4)))
      b1(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2) = &
        reshape(pb, shape(b1(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2)))
    case (3)
      pa = [a(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), 1)]
      pb = [b(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 4)]
      call exercise(family, a(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), 1), &
                    b(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 4), items, type, n)
      call exercise(family, pa, pb, items, type, n)
      a1(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), 1) = &
        reshape(pa, shape(a1(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), 1)))
      b1(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 4) = &
        reshape(pb, shape(b1(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 4)))
    case (4)
      call four(a(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), &
                  lo(4, 1):hi(4, 1):st(4, 1)), &
                b(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), &
                  lo(4, 2):hi(4, 2):st(4, 2)), &
                a1(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), &
                   lo(4, 1):hi(4, 1):st(4, 1)), &
                b1(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), &
                   lo(4, 2):hi(4, 2):st(4, 2)))
    end select
    if (any(a /= a1) .or. any(b /= b1)) then
      print '(a,i0,a,i0,a,i0,a,i0,a,i0,a,i0)', 'rank ', rank, ': case ', number, ': family ', family, ', ', dims, &
        ' dimensions, type ', kind, ', items ', items
      bad = bad + 1
      if (bad > 10) exit
    end if
  end do
  do i = 2, 4
    call MPI_Type_free(types(i))
  end do
  call MPI_Comm_free(ring)
  call MPI_File_close(file)
  call MPI_Finalize()
  if (bad > 0) error stop 1

contains

  subroutine four(x, y, x1, y1)
    integer, asynchronous, intent(inout) :: x(:, :, :, :), y(:, :, :, :)
    integer, intent(inout) :: x1(:, :, :, :), y1(:, :, :, :)
    pa = [x]
    pb = [y]
    call exercise(family, x, y, items, type, n)
    call exercise(family, pa, pb, items, type, n)
    x1 = reshape(pa, shape(x1))
    y1 = reshape(pb, shape(y1))
  end subroutine

  integer function random(n)
    integer, intent(in) :: n
    state = iand(state * 6364136223846793005_8 + 1442695040888963407_8, huge(state))
    random = int(mod(ishft(state, -20), int(n, 8)))
  end function

  subroutine swap(i, j)
    integer, intent(inout) :: i, j
    integer :: k
    k = i
    i = j
    j = k
  end subroutine
end program
