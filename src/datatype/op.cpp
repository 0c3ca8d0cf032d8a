#include "datatype/op.hpp"

#include <array>

#include "datatype/copy.hpp"
#include "datatype/kernels.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

constexpr unsigned bit(TypeGroup group)
{
  return 1u << static_cast<unsigned>(group);
}

constexpr unsigned integers =
    bit(TypeGroup::c_integer) | bit(TypeGroup::fortran_integer) | bit(TypeGroup::multi_language);
constexpr unsigned ordered = integers | bit(TypeGroup::floating);
constexpr unsigned arithmetic = ordered | bit(TypeGroup::complex);
// The standard has C integers and logical types here; MPICH and Open MPI take other integers too, and
// programs use that.
constexpr unsigned truth = integers | bit(TypeGroup::logical);
constexpr unsigned bitwise = integers | bit(TypeGroup::byte);
// Of accumulates, which combine nothing and ask for themselves (§12.3.4).
constexpr unsigned no_reduction = 0;

struct OpInfo {
  OpKind kind;
  const char* name;
  unsigned groups;  // the table of §6.9.2
};

constexpr std::array<OpInfo, predefined_op_count> op_table = {{
    {OpKind::sum, "MPI_SUM", arithmetic},
    {OpKind::min, "MPI_MIN", ordered},
    {OpKind::max, "MPI_MAX", ordered},
    {OpKind::prod, "MPI_PROD", arithmetic},
    {OpKind::band, "MPI_BAND", bitwise},
    {OpKind::bor, "MPI_BOR", bitwise},
    {OpKind::bxor, "MPI_BXOR", bitwise},
    {OpKind::land, "MPI_LAND", truth},
    {OpKind::lor, "MPI_LOR", truth},
    {OpKind::lxor, "MPI_LXOR", truth},
    {OpKind::minloc, "MPI_MINLOC", bit(TypeGroup::pair)},
    {OpKind::maxloc, "MPI_MAXLOC", bit(TypeGroup::pair)},
    {OpKind::replace, "MPI_REPLACE", no_reduction},
    {OpKind::no_op, "MPI_NO_OP", no_reduction},
}};

constexpr bool kinds_in_order()
{
  for (std::size_t i = 0; i < op_table.size(); ++i)
    if (static_cast<std::size_t>(op_table[i].kind) != i) return false;
  return true;
}
static_assert(kinds_in_order(), "the enumerator is the row's index");

const OpInfo& info(OpKind kind)
{
  return op_table[static_cast<std::size_t>(kind)];
}

}  // namespace

class OpTable {
 public:
  static Op* const* get()
  {
    // Never destroyed: threads of ranks may outlive the destructors of static objects.
    static Op* const* const ops = [] {
      auto* made = new Op*[predefined_op_count];
      for (const OpInfo& row : op_table) made[static_cast<std::size_t>(row.kind)] = new Op(row.kind);
      return made;
    }();
    return ops;
  }
};

Op& predefined(OpKind kind)
{
  return *OpTable::get()[static_cast<std::size_t>(kind)];
}

Ref<Op> Op::create(Function function, void* context, bool commutative, Destroy destroy)
{
  return Ref<Op>::adopt(new Op(function, context, commutative, destroy));
}

void Op::dispose() const
{
  if (destroy_) destroy_(context_);
  delete this;
}

const char* Op::name() const
{
  return is_predefined() ? info(kind_).name : "user-defined";
}

bool valid_for(const Op& op, const Datatype& type)
{
  if (!op.is_predefined()) return true;
  const unsigned groups = info(op.kind()).groups;
  return type.basic() != Basic::none && (groups & bit(info(type.basic()).group)) != 0;
}

void check_valid_for(const Op& op, const Datatype& type)
{
  if (valid_for(op, type)) return;
  if (info(op.kind()).groups == no_reduction)
    fail(ErrorClass::op, "%s is for MPI_Accumulate and its kin, not for reductions (MPI 5.0 §12.3.4)",
         op.name());
  fail(ErrorClass::op, "%s is not defined for %s", op.name(),
       type.name().empty() ? "a derived datatype" : type.name().c_str());
}

bool is_beyond_standard(const Op& op, const Datatype& type)
{
  if (op.kind() != OpKind::land && op.kind() != OpKind::lor && op.kind() != OpKind::lxor) return false;
  if (type.basic() == Basic::none) return false;
  const TypeGroup group = info(type.basic()).group;
  return group == TypeGroup::fortran_integer || group == TypeGroup::multi_language;
}

void apply(const Op& op, const void* in, void* inout, Count n, const Datatype& type)
{
  if (!op.is_predefined()) return op.call(in, inout, n, type);
  if (op.kind() == OpKind::no_op || n == 0) return;
  if (op.kind() == OpKind::replace) {
    copy(in, n, type, inout, n, type);
    return;
  }
  check_valid_for(op, type);
  kernel(op.kind(), type.basic()).two(in, inout, n);
}

void apply3(const Op& op, const void* a, const void* b, void* out, Count n, const Datatype& type)
{
  switch (op.kind()) {
    case OpKind::user:
      copy(b, n, type, out, n, type);
      return op.call(a, out, n, type);
    case OpKind::no_op:
      copy(b, n, type, out, n, type);
      return;
    case OpKind::replace:
      copy(a, n, type, out, n, type);
      return;
    default:
      break;
  }
  if (n == 0) return;
  check_valid_for(op, type);
  kernel(op.kind(), type.basic()).three(a, b, out, n);
}

}  // namespace ranklet
