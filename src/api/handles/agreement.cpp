// The numbers that the core shares with programs are those of mpi.h.
#include "api/handles/objects.hpp"
#include "comm/group.hpp"

namespace ranklet::api {
namespace {

template <typename Enum>
constexpr int number(Enum value)
{
  return static_cast<int>(value);
}

static_assert(any_source == MPI_ANY_SOURCE && any_tag == MPI_ANY_TAG && proc_null == MPI_PROC_NULL);
static_assert(intercomm_root == MPI_ROOT && undefined == MPI_UNDEFINED);

static_assert(number(ThreadLevel::single) == MPI_THREAD_SINGLE);
static_assert(number(ThreadLevel::funneled) == MPI_THREAD_FUNNELED);
static_assert(number(ThreadLevel::serialized) == MPI_THREAD_SERIALIZED);
static_assert(number(ThreadLevel::multiple) == MPI_THREAD_MULTIPLE);

static_assert(number(Combiner::named) == MPI_COMBINER_NAMED && number(Combiner::dup) == MPI_COMBINER_DUP);
static_assert(number(Combiner::contiguous) == MPI_COMBINER_CONTIGUOUS);
static_assert(number(Combiner::vector) == MPI_COMBINER_VECTOR);
static_assert(number(Combiner::hvector) == MPI_COMBINER_HVECTOR);
static_assert(number(Combiner::indexed) == MPI_COMBINER_INDEXED);
static_assert(number(Combiner::hindexed) == MPI_COMBINER_HINDEXED);
static_assert(number(Combiner::indexed_block) == MPI_COMBINER_INDEXED_BLOCK);
static_assert(number(Combiner::hindexed_block) == MPI_COMBINER_HINDEXED_BLOCK);
static_assert(number(Combiner::structure) == MPI_COMBINER_STRUCT);
static_assert(number(Combiner::subarray) == MPI_COMBINER_SUBARRAY);
static_assert(number(Combiner::darray) == MPI_COMBINER_DARRAY);
static_assert(number(Combiner::f90_real) == MPI_COMBINER_F90_REAL);
static_assert(number(Combiner::f90_complex) == MPI_COMBINER_F90_COMPLEX);
static_assert(number(Combiner::f90_integer) == MPI_COMBINER_F90_INTEGER);
static_assert(number(Combiner::resized) == MPI_COMBINER_RESIZED);
static_assert(number(Combiner::value_index) == MPI_COMBINER_VALUE_INDEX);

static_assert(number(Order::c) == MPI_ORDER_C && number(Order::fortran) == MPI_ORDER_FORTRAN);
static_assert(number(Distribution::none) == MPI_DISTRIBUTE_NONE);
static_assert(number(Distribution::block) == MPI_DISTRIBUTE_BLOCK);
static_assert(number(Distribution::cyclic) == MPI_DISTRIBUTE_CYCLIC);
static_assert(default_darg == MPI_DISTRIBUTE_DFLT_DARG);
static_assert(number(TypeClass::integer) == MPI_TYPECLASS_INTEGER);
static_assert(number(TypeClass::real) == MPI_TYPECLASS_REAL);
static_assert(number(TypeClass::complex) == MPI_TYPECLASS_COMPLEX);

static_assert(max_info_key == MPI_MAX_INFO_KEY - 1 && max_info_value == MPI_MAX_INFO_VAL - 1);
static_assert(p2p::buffer_overhead == MPI_BSEND_OVERHEAD);

constexpr bool error_classes_agree()
{
  using enum ErrorClass;
  constexpr std::pair<ErrorClass, int> pairs[] = {
      {success, MPI_SUCCESS},
      {buffer, MPI_ERR_BUFFER},
      {count, MPI_ERR_COUNT},
      {type, MPI_ERR_TYPE},
      {tag, MPI_ERR_TAG},
      {comm, MPI_ERR_COMM},
      {ErrorClass::rank, MPI_ERR_RANK},
      {request, MPI_ERR_REQUEST},
      {root, MPI_ERR_ROOT},
      {group, MPI_ERR_GROUP},
      {op, MPI_ERR_OP},
      {topology, MPI_ERR_TOPOLOGY},
      {dims, MPI_ERR_DIMS},
      {arg, MPI_ERR_ARG},
      {unknown, MPI_ERR_UNKNOWN},
      {truncate, MPI_ERR_TRUNCATE},
      {other, MPI_ERR_OTHER},
      {intern, MPI_ERR_INTERN},
      {pending, MPI_ERR_PENDING},
      {in_status, MPI_ERR_IN_STATUS},
      {access, MPI_ERR_ACCESS},
      {amode, MPI_ERR_AMODE},
      {assert, MPI_ERR_ASSERT},
      {bad_file, MPI_ERR_BAD_FILE},
      {base, MPI_ERR_BASE},
      {conversion, MPI_ERR_CONVERSION},
      {disp, MPI_ERR_DISP},
      {dup_datarep, MPI_ERR_DUP_DATAREP},
      {file_exists, MPI_ERR_FILE_EXISTS},
      {file_in_use, MPI_ERR_FILE_IN_USE},
      {file, MPI_ERR_FILE},
      {info_key, MPI_ERR_INFO_KEY},
      {info_nokey, MPI_ERR_INFO_NOKEY},
      {info_value, MPI_ERR_INFO_VALUE},
      {info, MPI_ERR_INFO},
      {io, MPI_ERR_IO},
      {keyval, MPI_ERR_KEYVAL},
      {locktype, MPI_ERR_LOCKTYPE},
      {name, MPI_ERR_NAME},
      {no_mem, MPI_ERR_NO_MEM},
      {not_same, MPI_ERR_NOT_SAME},
      {no_space, MPI_ERR_NO_SPACE},
      {no_such_file, MPI_ERR_NO_SUCH_FILE},
      {port, MPI_ERR_PORT},
      {quota, MPI_ERR_QUOTA},
      {read_only, MPI_ERR_READ_ONLY},
      {rma_attach, MPI_ERR_RMA_ATTACH},
      {rma_conflict, MPI_ERR_RMA_CONFLICT},
      {rma_range, MPI_ERR_RMA_RANGE},
      {rma_shared, MPI_ERR_RMA_SHARED},
      {rma_sync, MPI_ERR_RMA_SYNC},
      {service, MPI_ERR_SERVICE},
      {size, MPI_ERR_SIZE},
      {spawn, MPI_ERR_SPAWN},
      {unsupported_datarep, MPI_ERR_UNSUPPORTED_DATAREP},
      {unsupported_operation, MPI_ERR_UNSUPPORTED_OPERATION},
      {win, MPI_ERR_WIN},
      {rma_flavor, MPI_ERR_RMA_FLAVOR},
      {proc_aborted, MPI_ERR_PROC_ABORTED},
      {value_too_large, MPI_ERR_VALUE_TOO_LARGE},
      {session, MPI_ERR_SESSION},
      {errhandler, MPI_ERR_ERRHANDLER},
      {abi, MPI_ERR_ABI},
  };
  for (const auto& [ours, theirs] : pairs)
    if (number(ours) != theirs) return false;
  return std::size(pairs) == MPI_ERR_ABI + 1;
}
static_assert(error_classes_agree());

}  // namespace
}  // namespace ranklet::api
