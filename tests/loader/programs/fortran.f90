! Fortran: module variables, COMMON, SAVE, allocatables and units are private. Arguments: directory ranks rank.
module state
  integer :: counter = 10
  real, allocatable :: values(:)
end module

subroutine count_call(number)
  integer, intent(out) :: number
  integer, save :: calls = 0
  calls = calls + 1
  number = calls
end subroutine

program fortran_state
  use state
  implicit none
  interface
    subroutine meet(ranks) bind(c)
      use iso_c_binding
      integer(c_int), value :: ranks
    end subroutine
  end interface
  integer :: shared_number, rank, ranks, number, read_rank
  common /block/ shared_number
  character(len=1000) :: argument, directory, file

  call get_command_argument(command_argument_count(), argument)
  read (argument, *) rank
  call get_command_argument(command_argument_count() - 1, argument)
  read (argument, *) ranks
  call get_command_argument(command_argument_count() - 2, directory)
  shared_number = rank
  counter = counter + rank
  allocate (values(100))
  values = rank
  call count_call(number)
  write (file, '(a,a,i0)') trim(directory), '/fortran_unit_', rank
  open (unit=10, file=file, status='replace')
  call meet(ranks)      ! all have opened unit 10
  write (10, *) rank
  rewind (10)
  read (10, *) read_rank
  close (10, status='delete')
  call count_call(number)
  if (shared_number /= rank) stop 1
  if (counter /= 10 + rank) stop 2
  if (nint(sum(values)) /= 100 * rank) stop 3
  if (number /= 2) stop 4
  if (read_rank /= rank) stop 5
  call meet(ranks)
  if (rank == 1) stop 17
end program
