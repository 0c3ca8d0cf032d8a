module mpi_f08_types
implicit none
INTEGER MPI_ADDRESS_KIND
PARAMETER (MPI_ADDRESS_KIND=8)
INTEGER MPI_OFFSET_KIND
PARAMETER (MPI_OFFSET_KIND=8)
INTEGER MPI_COUNT_KIND
PARAMETER (MPI_COUNT_KIND=8)
INTEGER MPI_INTEGER_KIND
PARAMETER (MPI_INTEGER_KIND=4)
INTEGER MPI_STATUS_SIZE
PARAMETER (MPI_STATUS_SIZE=8)
INTEGER MPI_ANY_SOURCE
PARAMETER (MPI_ANY_SOURCE=-1)
INTEGER MPI_PROC_NULL
PARAMETER (MPI_PROC_NULL=-3)
INTEGER MPI_UNDEFINED
PARAMETER (MPI_UNDEFINED=-32766)
INTEGER(8) MPI_DISPLACEMENT_CURRENT
PARAMETER (MPI_DISPLACEMENT_CURRENT=-1_8)
type, bind(C) :: MPI_Comm
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Group
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Datatype
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Op
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Request
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Info
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Errhandler
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Message
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Session
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Win
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_File
  integer :: MPI_VAL
end type
type, bind(C) :: MPI_Status
  integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
  integer, private :: MPI_internal(5)
end type
interface operator(==)
  module procedure same_Comm, same_Group, same_Datatype, same_Op, same_Request, same_Info, same_Errhandler, &
      same_Message, same_Session, same_Win, same_File
end interface
interface operator(/=)
  module procedure other_Comm, other_Group, other_Datatype, other_Op, other_Request, other_Info, other_Errhandler, &
      other_Message, other_Session, other_Win, other_File
end interface
private :: same_Comm, same_Group, same_Datatype, same_Op, same_Request, same_Info, same_Errhandler, same_Message, &
    same_Session, same_Win, same_File
private :: other_Comm, other_Group, other_Datatype, other_Op, other_Request, other_Info, other_Errhandler, &
    other_Message, other_Session, other_Win, other_File
contains
elemental logical function same_Comm(a, b)
  type(MPI_Comm), intent(in) :: a, b
  same_Comm = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Group(a, b)
  type(MPI_Group), intent(in) :: a, b
  same_Group = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Datatype(a, b)
  type(MPI_Datatype), intent(in) :: a, b
  same_Datatype = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Op(a, b)
  type(MPI_Op), intent(in) :: a, b
  same_Op = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Request(a, b)
  type(MPI_Request), intent(in) :: a, b
  same_Request = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Info(a, b)
  type(MPI_Info), intent(in) :: a, b
  same_Info = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Errhandler(a, b)
  type(MPI_Errhandler), intent(in) :: a, b
  same_Errhandler = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Message(a, b)
  type(MPI_Message), intent(in) :: a, b
  same_Message = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Session(a, b)
  type(MPI_Session), intent(in) :: a, b
  same_Session = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_Win(a, b)
  type(MPI_Win), intent(in) :: a, b
  same_Win = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function same_File(a, b)
  type(MPI_File), intent(in) :: a, b
  same_File = a%MPI_VAL == b%MPI_VAL
end function
elemental logical function other_Comm(a, b)
  type(MPI_Comm), intent(in) :: a, b
  other_Comm = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Group(a, b)
  type(MPI_Group), intent(in) :: a, b
  other_Group = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Datatype(a, b)
  type(MPI_Datatype), intent(in) :: a, b
  other_Datatype = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Op(a, b)
  type(MPI_Op), intent(in) :: a, b
  other_Op = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Request(a, b)
  type(MPI_Request), intent(in) :: a, b
  other_Request = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Info(a, b)
  type(MPI_Info), intent(in) :: a, b
  other_Info = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Errhandler(a, b)
  type(MPI_Errhandler), intent(in) :: a, b
  other_Errhandler = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Message(a, b)
  type(MPI_Message), intent(in) :: a, b
  other_Message = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Session(a, b)
  type(MPI_Session), intent(in) :: a, b
  other_Session = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_Win(a, b)
  type(MPI_Win), intent(in) :: a, b
  other_Win = a%MPI_VAL /= b%MPI_VAL
end function
elemental logical function other_File(a, b)
  type(MPI_File), intent(in) :: a, b
  other_File = a%MPI_VAL /= b%MPI_VAL
end function
end module
