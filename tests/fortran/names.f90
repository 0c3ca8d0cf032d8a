! Names keep blanks before them, not after them (MPI 5.0 section 7.8); so do texts of errors (section 9.5). Keys and values of
! infos keep neither (section 10).
! mpich: takes blanks before a name away
! openmpi: takes blanks before a name away
program names
  use mpi_f08
  implicit none
  character(MPI_MAX_OBJECT_NAME) :: name
  character(MPI_MAX_ERROR_STRING) :: text
  character(5) :: value
  integer :: n, code
  logical :: flag
  type(MPI_Info) :: info
  type(MPI_Datatype) :: type

  call MPI_Init()
  call MPI_Comm_set_name(MPI_COMM_WORLD, '  x y  ')
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, n)
  call expect(name, n, '  x y')
  call MPI_Type_dup(MPI_INTEGER, type)
  call MPI_Type_set_name(type, ' t')
  call MPI_Type_get_name(type, name, n)
  call expect(name, n, ' t')
  call MPI_Type_free(type)
  call MPI_Add_error_class(code)
  call MPI_Add_error_string(code, '  of ours ')
  call MPI_Error_string(code, text, n)
  call expect(text, n, '  of ours')
  call MPI_Info_create(info)
  call MPI_Info_set(info, ' key ', ' a b ')
  n = 5
  call MPI_Info_get_string(info, '  key', n, value, flag)
  if (.not. flag) error stop 'no such key'
  call expect(value, n, 'a b')
  call MPI_Info_free(info)
  call MPI_Finalize()

contains

  subroutine expect(got, length, right)
    character(*), intent(in) :: got, right
    integer, intent(in) :: length
    if (got == right .and. length == len(right)) return
    print '(5a, i0)', 'not [', right, '] but [', trim(got), '], length ', length
    error stop 1
  end subroutine
end program
