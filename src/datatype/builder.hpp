// What all constructors share: gathering the placed parts of a new type and deriving its bounds from them.
#pragma once

#include <vector>

#include "base/ref.hpp"
#include "datatype/datatype.hpp"

namespace ranklet {

class TypeBuilder {
 public:
  explicit TypeBuilder(Combiner combiner) { type_->contents_.combiner = combiner; }

  // `copies` elements of `old` in all, at displacements from `first` to `last` bytes; this widens the bounds.
  // Says nothing about the layout.
  void place(Datatype& old, Count copies, Count first, Count last);
  // `block` elements of `old`, one extent apart, at `displacement`: its bounds, and its piece of the layout.
  Piece place_block(Datatype& old, Count block, Count displacement);
  // Bounds set by hand (§5.1.6, lb_marker and ub_marker).
  void mark(Count lb, Count extent);

  // Arguments for MPI_Type_get_contents, in the order of the tables of §5.1.13: counts become integers in the
  // normal form and large counts in the large one, followed there by the addresses; integers stay integers in
  // both.
  void record(Width width, const std::vector<Count>& counts, const std::vector<Count>& addresses = {});
  void record_integers(const std::vector<int>& integers)
  {
    // One by one: of insert() g++ 12 warns without reason at -O3.
    for (const int integer : integers) type_->contents_.integers.push_back(integer);
  }
  void record_all(const Contents& contents) { type_->contents_ = contents; }
  void record_type(Datatype& type) { type_->contents_.types.emplace_back(type); }

  Ref<Datatype> finish(Piece layout);
  // A type that is in all respects `old`, but for contents and name.
  Ref<Datatype> finish_as(const Datatype& old, bool is_predefined);

  static Datatype* predefined_table();

 private:
  // From the sizes, which are set.
  static void set_most_elements(Datatype& type);
  static void make_predefined(Datatype& type, const BasicInfo& info, Datatype* table);

  // Owned until finish(); destroyed if a constructor throws.
  struct Dispose {
    void operator()(Datatype* type) const { delete type; }
  };
  std::unique_ptr<Datatype, Dispose> type_{new Datatype};
  bool any_data_ = false;
  bool set_by_hand_ = false;
  Count data_lb_ = 0;
  Count data_ub_ = 0;
  Count mark_lb_ = 0;
  Count mark_ub_ = 0;
};

// Errors: count. `what` names the argument.
void check_not_negative(Count value, const char* what);
void check_same_length(std::size_t a, std::size_t b);

}  // namespace ranklet
