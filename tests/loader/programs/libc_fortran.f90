! Units 0, 5 and 6 and the clock, seed and environment of a Fortran program.
program libc_fortran
  implicit none
  character(len=32) :: rank, line
  integer :: i, status, number, total
  real :: start
  call get_environment_variable("RANK", rank)
  call cpu_time(start)
  do i = 1, 100
    write(*, '(a,a)', advance='no') 'r', trim(rank)
    write(*, '(a,i0)') ' line ', i
    if (mod(i, 10) == 0) flush(6)
    if (mod(i, 50) == 0) write(0, '(a,a)') 'e', trim(rank)
  end do
  total = 0
  do
    read(*, *, iostat=status) number
    if (status /= 0) exit
    total = total + number
  end do
  print '(a,a,a,i0)', 'r', trim(rank), ' total ', total
  write(line, '(a)') trim(rank)
  write(*, '(a,a)', advance='no') 'r', trim(line)//' end'
end program
