! Callbacks in Fortran, and objects that both languages use (MPI 5.0 §19.3).
module callbacks
  use mpi_f08
  implicit none
  integer :: copies = 0, deletions = 0, errors = 0
  interface
    subroutine c_set_attribute(comm, key) bind(C)
      integer :: comm, key
    end subroutine
    subroutine c_check_address(address) bind(C)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND) :: address
    end subroutine
    subroutine c_check_attribute(comm, key, value) bind(C)
      import :: MPI_ADDRESS_KIND
      integer :: comm, key
      integer(kind=MPI_ADDRESS_KIND) :: value
    end subroutine
    subroutine c_reduce(op, comm, value) bind(C)
      integer :: op, comm, value
    end subroutine
    integer function c_barriers() bind(C)
    end function
  end interface
contains
  subroutine maximum(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER .and. datatype /= MPI_INT) error stop 'datatype of an operator'
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = max(a, b)
  end subroutine
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    if (extra_state /= 1000 .or. oldcomm /= MPI_COMM_SELF .or. comm_keyval == MPI_KEYVAL_INVALID) error stop 'copy'
    copies = copies + 1
    attribute_val_out = attribute_val_in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine remove(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (extra_state /= 1000 .or. comm == MPI_COMM_NULL .or. comm_keyval == MPI_KEYVAL_INVALID) error stop 'delete'
    deletions = deletions + int(attribute_val)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handler(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code, error_class
    call MPI_Error_class(error_code, error_class)
    if (comm /= MPI_COMM_WORLD .or. error_class /= MPI_ERR_TAG) error stop 'error handler'
    errors = errors + 1
  end subroutine
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_TAG = 5
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    copies = copies + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (complete) extra_state = 0
    ierror = MPI_SUCCESS
  end subroutine

  ! What C is told of this compiler (MPI 5.0 section 20.2), also before MPI_Init.
  subroutine check_compiler()
    use, intrinsic :: iso_fortran_env, only: integer_kinds, logical_kinds, real_kinds
    type(MPI_Info) :: info
    logical :: yes, no, is_set
    integer :: kind
    character(len=40) :: key
    call MPI_Abi_get_fortran_info(info)
    if (info == MPI_INFO_NULL) error stop 'nothing is known of the compiler'
    call expect_size('mpi_logical_size', storage_size(.true.))
    call expect_size('mpi_integer_size', storage_size(1))
    call expect_size('mpi_real_size', storage_size(1.0))
    call expect_size('mpi_double_precision_size', storage_size(1d0))
    do kind = 1, 16
      if (iand(kind, kind - 1) /= 0) cycle
      write (key, '(a,i0,a)') 'mpi_logical', kind, '_supported'
      call expect(key, merge('true ', 'false', any(logical_kinds == kind)))
      write (key, '(a,i0,a)') 'mpi_integer', kind, '_supported'
      call expect(key, merge('true ', 'false', any(integer_kinds == kind)))
      if (kind == 1) cycle
      write (key, '(a,i0,a)') 'mpi_real', kind, '_supported'
      call expect(key, merge('true ', 'false', any(real_kinds == kind)))
      write (key, '(a,i0,a)') 'mpi_complex', 2 * kind, '_supported'
      call expect(key, merge('true ', 'false', any(real_kinds == kind)))
    end do
    call expect('mpi_double_complex_supported', 'true')
    call MPI_Info_free(info)
    yes = .false.
    no = .true.
    call MPI_Abi_get_fortran_booleans(storage_size(.true.) / 8, yes, no, is_set)
    if (.not. is_set .or. transfer(yes, 0) /= transfer(.true., 0) .or. transfer(no, 0) /= transfer(.false., 0)) &
      error stop 'the values of LOGICAL'
  contains
    subroutine expect(key, value)
      character(len=*), intent(in) :: key, value
      character(len=20) :: got
      integer :: length
      logical :: found
      length = len(got)
      call MPI_Info_get_string(info, trim(key), length, got, found)
      if (.not. found .or. got /= value) then
        print *, trim(key), ' is ', got, ', not ', value
        error stop 'MPI_Abi_get_fortran_info'
      end if
    end subroutine
    subroutine expect_size(key, bits)
      character(len=*), intent(in) :: key
      integer, intent(in) :: bits
      character(len=8) :: text
      write (text, '(i0)') bits / 8
      call expect(key, text)
    end subroutine
  end subroutine
end module

program mixed
  use callbacks
  implicit none
  type(MPI_Op) :: op
  type(MPI_Comm) :: comm
  type(MPI_Errhandler) :: errhandler
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer :: keyval, rank, ranks, n, f_status(MPI_STATUS_SIZE), ierror
  integer(kind=MPI_ADDRESS_KIND) :: value
  integer :: boolean, numbers(2), dims(2), coords(2)
  logical :: flag, periods(2)

  call check_compiler()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  call MPI_Op_create(maximum, .true., op)
  n = rank
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
  if (n /= ranks - 1) error stop 'operator'
  n = rank
  call c_reduce(op%MPI_VAL, MPI_COMM_WORLD%MPI_VAL, n)
  if (n /= ranks - 1) error stop 'operator in C'
  call MPI_Op_free(op)
  if (op /= MPI_OP_NULL) error stop 'MPI_OP_NULL'

  call MPI_Comm_create_keyval(copy, remove, keyval, 1000_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 2_MPI_ADDRESS_KIND**40)
  call c_check_attribute(MPI_COMM_SELF%MPI_VAL, keyval, 2_MPI_ADDRESS_KIND**40)
  call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 20_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_SELF, comm)
  call MPI_Comm_get_attr(comm, keyval, value, flag)
  if (.not. flag .or. value /= 21 .or. copies /= 1) error stop 'copied attribute'
  deletions = 0
  call MPI_Comm_free(comm)
  if (deletions /= 21) error stop 'deleted attribute'
  call c_set_attribute(MPI_COMM_SELF%MPI_VAL, keyval)
  call MPI_Comm_get_attr(MPI_COMM_SELF, keyval, value, flag)
  if (.not. flag) error stop 'attribute of C'
  call c_check_address(value)

  call MPI_Comm_create_errhandler(handler, errhandler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler)
  call MPI_Send(n, 1, MPI_INTEGER, rank, -7, MPI_COMM_WORLD, ierror)
  if (ierror == MPI_SUCCESS .or. errors /= 1) error stop 'error handler was not called'
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)

  copies = 0
  call MPI_Grequest_start(query, release, cancel, 11_MPI_ADDRESS_KIND, request)
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  if (n /= 11 .or. copies /= 11 .or. status%MPI_TAG /= 5) error stop 'generalized request'
  call MPI_Status_f082f(status, f_status)
  if (f_status(MPI_TAG) /= 5) error stop 'status'

  ! Both values of .TRUE. that compilers have; where it is -1, .not. of a 1 is -2.
  do n = -1, 1, 2
    numbers = [n, -2]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, [ranks, 1], transfer(numbers, [.true.]), transfer(numbers(2), .true.), comm)
    call MPI_Cart_get(comm, 2, dims, periods, coords)
    if (any(transfer(periods, [0]) /= [1, 0])) error stop 'LOGICAL arguments'
    call MPI_Comm_free(comm)
    boolean = n
    call MPI_Allreduce(MPI_IN_PLACE, boolean, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    if (modulo(boolean, 2) == 0) error stop 'MPI_LAND'
    boolean = merge(n, -2, rank == 0)
    call MPI_Allreduce(MPI_IN_PLACE, boolean, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
    if (modulo(boolean, 2) == 0) error stop 'MPI_LOR'
    boolean = n
    call MPI_Reduce_local(n, boolean, 1, MPI_LOGICAL, MPI_LXOR)
    if (boolean /= 0) error stop 'MPI_LXOR'
  end do

  call MPI_Barrier(MPI_COMM_WORLD)
  if (c_barriers() /= 1) error stop 'a C tool did not see the call once'
  call PMPI_Barrier(MPI_COMM_WORLD)
  if (c_barriers() /= 1) error stop 'a C tool saw PMPI_Barrier'
  call MPI_Finalize()
end program
