program libc_crash_fortran
  implicit none
  real, pointer :: field(:) => null()
  print '(a)', 'before'
  call fill(field)
contains
  subroutine fill(f)
    real, pointer :: f(:)
    f(1) = 2.0  ! line 9
  end subroutine
end program
