// Datatypes (MPI 5.0 chapter 5): the object, its constructors and what can be asked of it. copy.hpp moves
// data.
//
// Thread safety: a Datatype does not change after construction, so any thread may read it, also one that
// helps another rank. The exceptions belong to the rank that owns the handle: committed, name and extension.
// The constructors do the work of MPI_Type_commit: they compute the short description (layout.hpp) from which
// data is moved, so that nothing is left to be filled in later and inner types pass theirs on. Cost: the
// length of the arguments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ref.hpp"
#include "datatype/basic.hpp"
#include "datatype/layout.hpp"
#include "terms/types.hpp"

namespace ranklet {

class Datatype;

// The values of MPI_COMBINER_* in the ABI; api/ asserts that they agree.
enum class Combiner : int {
  named = 101,
  dup = 102,
  contiguous = 103,
  vector = 104,
  hvector = 105,
  indexed = 106,
  hindexed = 107,
  indexed_block = 108,
  hindexed_block = 109,
  structure = 110,
  subarray = 111,
  darray = 112,
  f90_real = 113,
  f90_complex = 114,
  f90_integer = 115,
  resized = 116,
  value_index = 117,
};

// MPI_ORDER_*, MPI_DISTRIBUTE_* and MPI_TYPECLASS_* with the ABI's values.
enum class Order : int { c = 0xC, fortran = 0xF };
enum class Distribution : int { none = 16, block = 17, cyclic = 18 };
inline constexpr Count default_darg = 19;  // MPI_DISTRIBUTE_DFLT_DARG
enum class TypeClass : int { logical = 191, integer = 192, real = 193, complex = 194 };

// Which of its two forms a constructor was called in: MPI_Type_get_contents shows the counts of
// MPI_Type_vector as integers, those of MPI_Type_vector_c as large counts (§5.1.13).
enum class Width { normal, large };

// The arguments of the constructor call, in the order of the tables of §5.1.13.
struct Contents {
  Combiner combiner = Combiner::named;
  std::vector<int> integers;
  std::vector<Count> addresses;
  std::vector<Count> large_counts;
  std::vector<Ref<Datatype>> types;
};

// A type signature (§5.1): the sequence of basic types, as its length and a 61-bit hash. Equal sequences have
// equal ones; different ones agree only by an accident of the hash.
struct Signature {
  Count elements = 0;
  std::uint64_t hash = 0;
  bool packed = false;  // holds MPI_PACKED, which matches anything (§5.2)

  friend bool operator==(const Signature&, const Signature&) = default;
};

// A part of the type signature: `count` times the one of `type`.
struct SignatureRun {
  Count count = 0;
  Ref<Datatype> type;
};

class Datatype {
 public:
  // What another layer hangs on a type (attributes). Destroyed with the type, on whichever thread released it
  // last.
  struct Attachment {
    virtual ~Attachment() = default;
  };

  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  // Predefined types live as long as the program and are not counted.
  void retain() const
  {
    if (counted_) references_.add();
  }
  void release() const
  {
    if (counted_ && references_.drop()) destroy();
  }

  Count size() const { return size_; }  // bytes of data in one element
  Count lb() const { return lb_; }      // bytes, as the next five
  Count ub() const { return lb_ + extent_; }
  Count extent() const { return extent_; }
  Count true_lb() const { return true_lb_; }
  Count true_extent() const { return true_extent_; }
  Count alignment() const { return alignment_; }  // of the most strictly aligned basic type
  // How many elements a buffer may have at most, so that all sizes and offsets of it fit 64 bits.
  Count most_elements() const { return most_elements_; }

  // Elements follow each other without gaps from offset 0, so `count` of them are one run of count * size()
  // bytes.
  bool is_contiguous() const { return contiguous_; }
  // Named by the standard, or one of the unnamed predefined types of §19.1.5: may not be freed.
  bool is_predefined() const { return predefined_; }
  // What a predefined type, or a duplicate of one, is; none for a derived type. Operators go by it.
  Basic basic() const { return basic_; }
  // The basic type that all of the data consists of, pairs counting as one, or none. For MPI_Accumulate
  // (§12.3.4).
  Basic uniform() const { return uniform_; }

  bool committed() const { return committed_; }
  void commit() { committed_ = true; }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  const Contents& contents() const { return contents_; }
  const Signature& signature() const { return signature_; }
  const std::vector<SignatureRun>& parts() const { return parts_; }
  // Where the data of one element lies.
  const Piece& layout() const { return layout_; }

  std::unique_ptr<Attachment>& attachment() { return attachment_; }

 private:
  friend class TypeBuilder;
  Datatype() = default;
  ~Datatype() = default;
  void destroy() const;

  Count size_ = 0;
  Count extent_ = 0;
  Count most_elements_ = 0;
  bool contiguous_ = false;
  bool counted_ = true;
  bool predefined_ = false;
  bool committed_ = false;
  Basic basic_ = Basic::none;
  Basic uniform_ = Basic::none;
  bool marked_ =
      false;  // lb and ub were set by hand somewhere inside (§5.1.6), so that only such marks count
  mutable RefCount references_;
  Count lb_ = 0;
  Count true_lb_ = 0;
  Count true_extent_ = 0;
  Count alignment_ = 1;
  Piece layout_;
  Signature signature_;
  std::vector<SignatureRun> parts_;
  Contents contents_;
  std::string name_;
  std::unique_ptr<Attachment> attachment_;
};

// The predefined type that `basic` names; basic must not be none.
Datatype& predefined(Basic basic);

// The constructors of §5.1.2 to §5.1.4, §5.1.7 and §5.1.11. Errors: count (a count or block length is
// negative), arg (arrays of different lengths, sizes that do not fit each other), value_too_large (the
// description does not fit 64 bits). Strides of vector and displacements of indexed are in extents of `old`,
// all others in bytes.
Ref<Datatype> create_contiguous(Count count, Datatype& old, Width width = Width::normal);
Ref<Datatype> create_vector(Count count, Count block, Count stride, Datatype& old,
                            Width width = Width::normal);
Ref<Datatype> create_hvector(Count count, Count block, Count stride, Datatype& old,
                             Width width = Width::normal);
Ref<Datatype> create_indexed(std::span<const Count> blocks, std::span<const Count> displacements,
                             Datatype& old, Width width = Width::normal);
Ref<Datatype> create_hindexed(std::span<const Count> blocks, std::span<const Count> displacements,
                              Datatype& old, Width width = Width::normal);
Ref<Datatype> create_indexed_block(Count block, std::span<const Count> displacements, Datatype& old,
                                   Width width = Width::normal);
Ref<Datatype> create_hindexed_block(Count block, std::span<const Count> displacements, Datatype& old,
                                    Width width = Width::normal);
Ref<Datatype> create_struct(std::span<const Count> blocks, std::span<const Count> displacements,
                            std::span<Datatype* const> types, Width width = Width::normal);
Ref<Datatype> create_subarray(std::span<const Count> sizes, std::span<const Count> subsizes,
                              std::span<const Count> starts, Order order, Datatype& old,
                              Width width = Width::normal);
// The part of process `rank` of `size` in a distributed array (§5.1.4); dims: one value per dimension each.
Ref<Datatype> create_darray(int size, int rank, std::span<const Count> global_sizes,
                            std::span<const Distribution> distributions, std::span<const Count> dargs,
                            std::span<const Count> process_sizes, Order order, Datatype& old,
                            Width width = Width::normal);
Ref<Datatype> create_resized(Datatype& old, Count lb, Count extent, Width width = Width::normal);
// Not with the extension: its owner copies attributes by their callbacks. Keeps committed.
Ref<Datatype> create_dup(Datatype& old);
// A type of its own, made as `old` was: what MPI_Type_get_contents hands out for a derived type.
Ref<Datatype> create_twin(Datatype& old);

// §19.1.5. Precision or range may be `undefined`. Errors: arg (no such kind). Predefined and committed; the
// caller keeps one per argument pair so that equal calls give equal handles.
Ref<Datatype> create_f90_real(int precision, int range);
Ref<Datatype> create_f90_complex(int precision, int range);
Ref<Datatype> create_f90_integer(int range);
// The named type of that class and size in bytes; errors: arg.
Datatype& match_size(TypeClass type_class, int size);
// The named pair type of §6.9.4, or null where there is none.
Datatype* value_index(const Datatype& value, const Datatype& index);

// How many whole elements `bytes` of data are, or `undefined` (MPI_Get_count, §3.2.5).
Count get_count(Count bytes, const Datatype& type);
// How many basic elements, or `undefined` if the last is cut (MPI_Get_elements, §5.1.11); a pair counts two.
Count get_elements(Count bytes, const Datatype& type);
// The bytes that the first `elements` basic elements of a sequence of `type` take (MPI_Status_set_elements).
// Errors: arg, if `type` has no data and elements > 0.
Count elements_to_bytes(Count elements, const Datatype& type);

// The signature of `count` elements, and of their first `elements` basic elements (all if there are fewer).
Signature signature(Count count, const Datatype& type);
Signature signature_prefix(Count elements, Count count, const Datatype& type);
// Whether a message of send_count of one may be received as up to recv_count of the other (§3.3.1).
bool signatures_match(Count send_count, const Datatype& send, Count recv_count, const Datatype& recv);

}  // namespace ranklet
