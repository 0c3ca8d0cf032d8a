! Sentinels in the program, in two libraries that it is linked with, and in one that C opens for it.
program main
  use mpi
  implicit none
  integer :: ierror
  interface
    subroutine call_opened() bind(C)
    end subroutine
  end interface
  call MPI_Init(ierror)
  call in_program()
  call in_first()
  call in_second()
  call call_opened()
  call in_program()
  call MPI_Finalize(ierror)
end program
