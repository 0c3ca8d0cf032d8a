// Reduction operators (MPI 5.0 §6.9): the object, and applying one to buffers.
//
// Thread safety: an Op does not change; any thread may apply a predefined one. A user's function must run on
// a thread of its own rank, for which the caller cares (is_predefined() is false).
#pragma once

#include "base/ref.hpp"
#include "datatype/datatype.hpp"
#include "terms/types.hpp"

namespace ranklet {

enum class OpKind : std::uint8_t {
  sum,
  min,
  max,
  prod,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
  replace,
  no_op,
  user,
};
inline constexpr int predefined_op_count = static_cast<int>(OpKind::user);

class Op {
 public:
  // A user's operator on n elements: inout[i] = in[i] op inout[i] (§6.9.5).
  using Function = void (*)(void* context, const void* in, void* inout, Count n, const Datatype& type);
  // Called once when the last reference goes.
  using Destroy = void (*)(void* context);

  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  static Ref<Op> create(Function function, void* context, bool commutative, Destroy destroy = nullptr);

  // Predefined operators live as long as the program and are not counted.
  void retain() const
  {
    if (kind_ == OpKind::user) references_.add();
  }
  void release() const
  {
    if (kind_ == OpKind::user && references_.drop()) dispose();
  }

  OpKind kind() const { return kind_; }
  bool is_predefined() const { return kind_ != OpKind::user; }
  bool is_commutative() const { return commutative_; }
  const char* name() const;  // as in mpi.h, "MPI_SUM"; "user-defined"

  void call(const void* in, void* inout, Count n, const Datatype& type) const
  {
    function_(context_, in, inout, n, type);
  }
  void* context() const { return context_; }

 private:
  friend class OpTable;
  explicit Op(OpKind kind) : kind_(kind), commutative_(kind != OpKind::replace && kind != OpKind::no_op) {}
  Op(Function function, void* context, bool commutative, Destroy destroy)
      : kind_(OpKind::user),
        commutative_(commutative),
        function_(function),
        context_(context),
        destroy_(destroy)
  {
  }
  ~Op() = default;
  void dispose() const;

  OpKind kind_;
  bool commutative_;
  mutable RefCount references_;
  Function function_ = nullptr;
  void* context_ = nullptr;
  Destroy destroy_ = nullptr;
};

// The predefined operator; kind must not be user.
Op& predefined(OpKind kind);

// Whether a reduction may use `op` on `type`: as §6.9.2 and §6.9.4 say, and what is_beyond_standard() says. A
// duplicate of a predefined type counts as that type. User operators take all types; MPI_REPLACE and
// MPI_NO_OP are for accumulates only.
bool valid_for(const Op& op, const Datatype& type);
// Whether other MPIs take the two together as well, but the standard does not: logical operators on
// multi-language types and Fortran integers.
bool is_beyond_standard(const Op& op, const Datatype& type);
// Throws op if it is not valid.
void check_valid_for(const Op& op, const Datatype& type);

// inout[i] = in[i] op inout[i] for n elements. The buffers do not overlap. Errors: op, if not valid for the
// type.
void apply(const Op& op, const void* in, void* inout, Count n, const Datatype& type);
// out[i] = a[i] op b[i], where `a` comes from the lower ranks; out overlaps neither.
void apply3(const Op& op, const void* a, const void* b, void* out, Count n, const Datatype& type);

// dst[i] = src[i] op dst[i] for the basic elements of two typed buffers of the same basic type:
// MPI_Accumulate (§12.3.4). Stops at the end of the smaller. `op` is predefined. Errors: op; type, if the
// buffers do not consist of one and the same predefined type.
void accumulate(const Op& op, const void* src, Count src_count, const Datatype& src_type, void* dst,
                Count dst_count, const Datatype& dst_type);

}  // namespace ranklet
