! The same calls through the module mpi, with errors and strings.
program ring
  use mpi
  implicit none
  integer :: ierr, rank, ranks, token, status(MPI_STATUS_SIZE), info, length, error_class, provided, size
  integer(kind=MPI_ADDRESS_KIND) :: address
  character(len=20) :: value
  character(len=MPI_MAX_ERROR_STRING) :: text
  logical :: flag
  integer :: dims(2), coords(2), cart, left, right
  logical :: periods(2)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  token = rank
  call MPI_Sendrecv_replace(token, 1, MPI_INTEGER, modulo(rank + 1, ranks), 1, modulo(rank - 1, ranks), 1, &
                            MPI_COMM_WORLD, status, ierr)
  if (token /= modulo(rank - 1, ranks) .or. status(MPI_SOURCE) /= token) error stop 1

  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, '  key ', ' some value   ', ierr)
  call MPI_Info_get(info, 'key', 20, value, flag, ierr)
  if (.not. flag .or. value /= 'some value') error stop 2
  length = 4
  call MPI_Info_get_string(info, 'key', length, value, flag, ierr)
  if (length /= 10 .or. value /= 'some') error stop 3
  call MPI_Info_free(info, ierr)

  dims = 0
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., cart, ierr)
  periods = .false.
  call MPI_Cart_get(cart, 2, dims, periods, coords, ierr)
  if (.not. periods(1) .or. periods(2)) error stop 4
  call MPI_Cart_shift(cart, 0, 1, left, right, ierr)
  call MPI_Comm_free(cart, ierr)
  if (cart /= MPI_COMM_NULL) error stop 5

  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(token, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, ierr)
  call MPI_Error_class(ierr, error_class, ierr)
  if (error_class /= MPI_ERR_RANK) error stop 6
  call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
  if (len_trim(text) /= length) error stop 7
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, address, flag, ierr)
  if (.not. flag .or. address < 32767) error stop 8
  call MPI_Sizeof(1d0, size, ierr)
  if (size /= 8) error stop 9
  call MPI_Bcast(MPI_BOTTOM, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (MPI_Wtime() <= 0 .or. MPI_Aint_add(address, 1_MPI_ADDRESS_KIND) /= address + 1) error stop 10
  if (rank == 0) print *, 'ring of', ranks
  call MPI_Finalize(ierr)
end program
