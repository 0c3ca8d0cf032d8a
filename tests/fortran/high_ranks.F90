! Array sections of rank 5 to 15, some empty, of integers, of parts of strings and of components: every family of routines
! does with them what it does with packed copies. Arguments: number of cases, seed.
#define R(d, i) lo(d, i):hi(d, i):st(d, i)
#define R_1_TO_5(i) R(1, i),R(2, i),R(3, i),R(4, i),R(5, i)
#define R_1_TO_10(i) R_1_TO_5(i),R(6, i),R(7, i),R(8, i),R(9, i),R(10, i)
#define E(d) 1:extents(d)
#define E_1_TO_5 E(1),E(2),E(3),E(4),E(5)
#define E_1_TO_10 E_1_TO_5,E(6),E(7),E(8),E(9),E(10)
program high_ranks
  use exercises
  implicit none

  type pair
    integer :: number
    character(len=5) :: rest
  end type
  integer, parameter :: extents(15) = [3, 2, 4, 1, 2, 2, 3, 1, 2, 2, 2, 1, 2, 2, 2], most = product(extents)
  integer, target, asynchronous :: a(most), b(most)
  character(len=6), target, asynchronous :: c(most), d(most)
  type(pair), target, asynchronous :: e(most), f(most)
  integer, target :: order(most)
  integer :: a1(most), b1(most)
  character(len=6) :: c1(most), d1(most), digits(most)
  integer, allocatable, asynchronous :: px(:), py(:)
  character(len=3), allocatable, asynchronous :: pc(:), pd(:)
  integer, allocatable :: ix(:), iy(:)
  integer :: lo(15, 2), hi(15, 2), st(15, 2)
  integer :: cases, number, family, dims, kind, storage, unit, items, n, sizes(2), i, bad
  type(MPI_Datatype) :: types(6), type

  cases = 1000
  call prepare(cases)
  types(1) = MPI_INTEGER
  types(4) = MPI_CHARACTER
  do i = 1, 4, 3
    call MPI_Type_contiguous(3, types(i), types(i + 1))
    call MPI_Type_commit(types(i + 1))
    call MPI_Type_vector(2, 1, 2, types(i), types(i + 2))  ! two with a gap
    call MPI_Type_commit(types(i + 2))
  end do
  order = [(i, i = 1, most)]
  write (digits, '(i6)') order + 100000 * (rank + 1)

  bad = 0
  do number = 1, cases
    ! The family, rank and type are the same everywhere, the sections each rank's own.
    state = seed + 7919_8 * number
    family = 1 + random(families)
    dims = 5 + random(11)
    kind = 1 + random(3)
    storage = 1 + random(3)
    type = types(kind + merge(3, 0, storage == 2))
    unit = merge(1, 3, kind == 1)
    state = state + 104729_8 * (rank + 1)
    do i = 1, 2
      call draw_section(extents(1:dims), 7, lo(1:dims, i), hi(1:dims, i), st(1:dims, i), sizes(i))
      if (random(20) == 0) call empty(1 + random(dims))
    end do
    n = minval(sizes) * merge(3, 1, storage == 2)
    call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    items = n / unit
    n = unit * items
    call fill()
    select case (dims)
    case (5)
      call rank_5()
    case (6)
      call rank_6()
    case (7)
      call rank_7()
    case (8)
      call rank_8()
    case (9)
      call rank_9()
    case (10)
      call rank_10()
    case (11)
      call rank_11()
    case (12)
      call rank_12()
    case (13)
      call rank_13()
    case (14)
      call rank_14()
    case (15)
      call rank_15()
    end select
    if (.not. as_packed()) then
      print '(6(a,i0))', 'rank ', rank, ': case ', number, ': family ', family, ', ', dims, ' dimensions, type ', kind, &
        ' of storage ', storage
      bad = bad + 1
      if (bad > 10) exit
    end if
  end do
  do i = 1, 4, 3
    call MPI_Type_free(types(i + 1))
    call MPI_Type_free(types(i + 2))
  end do
  call finish()
  if (bad > 0) error stop 1

contains

  ! Section i loses its elements.
  subroutine empty(dimension)
    integer, intent(in) :: dimension
    hi(dimension, i) = lo(dimension, i) - sign(1, st(dimension, i))
    sizes(i) = 0
  end subroutine

  subroutine fill()
    integer :: k
    do k = 1, most
      a(k) = 1000 * rank + k
      b(k) = -1000 * rank - k
    end do
    c = digits
    d = digits(most:1:-1)
    a1 = a
    b1 = b
    c1 = c
    d1 = d
    e%number = a
    e%rest = 'left'
    f%number = b
    f%rest = 'right'
  end subroutine

  ! What the packed copies became, and nothing else, is in the sections' arrays.
  logical function as_packed()
    select case (storage)
    case (1)
      a1(ix) = px
      b1(iy) = py
      as_packed = all(a == a1) .and. all(b == b1)
    case (2)
      c1(ix)(2:4) = pc
      d1(iy)(2:4) = pd
      as_packed = all(c == c1) .and. all(d == d1)
    case default
      a1(ix) = px
      b1(iy) = py
      as_packed = all(e%number == a1) .and. all(f%number == b1) .and. all(e%rest == 'left') .and. all(f%rest == 'right')
    end select
  end function

#define NAME rank_5
#define COLONS :,:,:,:,:
#define BOUNDS E_1_TO_5
#define PART(i) R_1_TO_5(i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_6
#define COLONS :,:,:,:,:,:
#define BOUNDS E_1_TO_5,E(6)
#define PART(i) R_1_TO_5(i),R(6, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_7
#define COLONS :,:,:,:,:,:,:
#define BOUNDS E_1_TO_5,E(6),E(7)
#define PART(i) R_1_TO_5(i),R(6, i),R(7, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_8
#define COLONS :,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_5,E(6),E(7),E(8)
#define PART(i) R_1_TO_5(i),R(6, i),R(7, i),R(8, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_9
#define COLONS :,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_5,E(6),E(7),E(8),E(9)
#define PART(i) R_1_TO_5(i),R(6, i),R(7, i),R(8, i),R(9, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_10
#define COLONS :,:,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_10
#define PART(i) R_1_TO_10(i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_11
#define COLONS :,:,:,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_10,E(11)
#define PART(i) R_1_TO_10(i),R(11, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_12
#define COLONS :,:,:,:,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_10,E(11),E(12)
#define PART(i) R_1_TO_10(i),R(11, i),R(12, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_13
#define COLONS :,:,:,:,:,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_10,E(11),E(12),E(13)
#define PART(i) R_1_TO_10(i),R(11, i),R(12, i),R(13, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_14
#define COLONS :,:,:,:,:,:,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_10,E(11),E(12),E(13),E(14)
#define PART(i) R_1_TO_10(i),R(11, i),R(12, i),R(13, i),R(14, i)
#include "high_rank.inc"
#undef NAME
#undef COLONS
#undef BOUNDS
#undef PART

#define NAME rank_15
#define COLONS :,:,:,:,:,:,:,:,:,:,:,:,:,:,:
#define BOUNDS E_1_TO_10,E(11),E(12),E(13),E(14),E(15)
#define PART(i) R_1_TO_10(i),R(11, i),R(12, i),R(13, i),R(14, i),R(15, i)
#include "high_rank.inc"
end program
