! A program that starts itself, in the interface that -DF77, -DF90 or -DF08 says (MPI 5.0 section 11.8).
#ifdef F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

program spawn
#if defined(F08)
  use mpi_f08
#elif defined(F90)
  use mpi
#endif
  implicit none
#ifdef F77
  include 'mpif.h'
#endif
  HANDLE(MPI_Comm) :: parent, inter
  HANDLE(MPI_Info) :: infos(2)
  character(len=300) :: self, commands(2)
  character(len=12) :: arguments(3), lists(2, 2)
  integer :: codes(5), ierror, rank
  logical :: flag
  integer(kind=MPI_ADDRESS_KIND) :: number

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_get_parent(parent, ierror)
  if (parent /= MPI_COMM_NULL) then
    call child()
    call MPI_Finalize(ierror)
    stop
  end if
  call get_command_argument(0, self)

  ! A blank string ends the list; blanks around a string do not count, those inside do.
  arguments = ['words       ', ' two words  ', '            ']
  codes = -1
  call MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, codes(1:2), ierror)
  if (any(codes(1:2) /= MPI_SUCCESS)) error stop 'error codes'
  call together(inter, 2)
  call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, MPI_ERRCODES_IGNORE, ierror)
  call together(inter, 1)

  commands = self
  lists(1, :) = ['first       ', '            ']
  lists(2, :) = ['second      ', '            ']
  infos = MPI_INFO_NULL
  call MPI_Comm_spawn_multiple(2, commands, lists, [1, 2], infos, 0, MPI_COMM_WORLD, inter, codes(1:3), ierror)
  if (any(codes(1:3) /= MPI_SUCCESS)) error stop 'error codes of several programs'
  call together(inter, 3)
  call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, [1, 1], infos, 0, MPI_COMM_WORLD, inter, &
                               MPI_ERRCODES_IGNORE, ierror)
  call together(inter, 2)
  call MPI_Finalize(ierror)
contains
  subroutine together(inter, others)
    HANDLE(MPI_Comm), intent(inout) :: inter
    integer, intent(in) :: others
    integer :: total, one, remote
    call MPI_Comm_remote_size(inter, remote, ierror)
    if (remote /= others) error stop 'size of the other group'
    one = 1
    call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, inter, ierror)
    if (total /= others) error stop 'sum over the other group'
    call MPI_Comm_disconnect(inter, ierror)
    if (inter /= MPI_COMM_NULL) error stop 'handle of a disconnected communicator'
  end subroutine

  subroutine child()
    character(len=30) :: first, second
    integer :: total, one
    call get_command_argument(1, first)
    call get_command_argument(2, second)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, number, flag, ierror)
    select case (first)
    case ('words')
      if (command_argument_count() /= 2 .or. second /= 'two words') error stop 'arguments'
    case ('first')
      if (.not. flag .or. number /= 0 .or. rank /= 0) error stop 'first program'
    case ('second')
      if (.not. flag .or. number /= 1 .or. rank < 1) error stop 'second program'
    case default
      if (command_argument_count() /= 0) error stop 'no arguments'
    end select
    one = 1
    call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, parent, ierror)
    call MPI_Comm_disconnect(parent, ierror)
  end subroutine
end program
