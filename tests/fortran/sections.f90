! Array sections of rank 1 to 4 with random bounds and strides, in every family of routines that takes buffers, give what the
! same call gives on packed copies; elements outside stay as they were. Arguments: number of cases, seed.
program sections
  use exercises
  implicit none
  integer, parameter :: e(4) = [9, 7, 5, 4]
  integer, asynchronous :: a(9, 7, 5, 4), b(9, 7, 5, 4)
  integer :: a1(9, 7, 5, 4), b1(9, 7, 5, 4)
  integer, allocatable, asynchronous :: pa(:), pb(:)
  integer :: lo(4, 2), hi(4, 2), st(4, 2), number, cases, i, family, dims, sizes(2), n, kind, unit, items, bad
  type(MPI_Datatype) :: types(4), type

  cases = 20000
  call prepare(cases)
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
    do i = 1, 2
      call draw_section(e, 0, lo(:, i), hi(:, i), st(:, i), n)
      sizes(i) = product((hi(1:dims, i) - lo(1:dims, i)) / st(1:dims, i) + 1)
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
      call exercise(family, a(lo(1, 1):hi(1, 1):st(1, 1), 2, 3, 4), b(lo(1, 2):hi(1, 2):st(1, 2), 1, 2, 3), items, &
                    type, n, MPI_INTEGER, 4)
      call exercise(family, pa, pb, items, type, n, MPI_INTEGER, 4)
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
                    b(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2), items, type, n, MPI_INTEGER, 4)
      call exercise(family, pa, pb, items, type, n, MPI_INTEGER, 4)
      a1(lo(1, 1):hi(1, 1):st(1, 1), 7, lo(3, 1):hi(3, 1):st(3, 1), 4) = &
        reshape(pa, shape(a1(lo(1, 1):hi(1, 1):st(1, 1), 7, lo(3, 1):hi(3, 1):st(3, 1), 4)))
      b1(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2) = &
        reshape(pb, shape(b1(1, lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 2)))
    case (3)
      pa = [a(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), 1)]
      pb = [b(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 4)]
      call exercise(family, a(lo(1, 1):hi(1, 1):st(1, 1), lo(2, 1):hi(2, 1):st(2, 1), lo(3, 1):hi(3, 1):st(3, 1), 1), &
                    b(lo(1, 2):hi(1, 2):st(1, 2), lo(2, 2):hi(2, 2):st(2, 2), lo(3, 2):hi(3, 2):st(3, 2), 4), items, &
                    type, n, MPI_INTEGER, 4)
      call exercise(family, pa, pb, items, type, n, MPI_INTEGER, 4)
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
  call finish()
  if (bad > 0) error stop 1

contains

  subroutine four(x, y, x1, y1)
    integer, asynchronous, intent(inout) :: x(:, :, :, :), y(:, :, :, :)
    integer, intent(inout) :: x1(:, :, :, :), y1(:, :, :, :)
    pa = [x]
    pb = [y]
    call exercise(family, x, y, items, type, n, MPI_INTEGER, 4)
    call exercise(family, pa, pb, items, type, n, MPI_INTEGER, 4)
    x1 = reshape(pa, shape(x1))
    y1 = reshape(pb, shape(y1))
  end subroutine
end program
