// What part of a file a process sees (MPI 5.0 §14.3).
//
// The data of a view is one sequence of bytes, numbered from 0: those of the filetype, tiled from the
// displacement on. A position counts these bytes, a place counts those of the file.
//
// Thread safety: immutable.
#pragma once

#include <memory>

#include "datatype/datatype.hpp"
#include "io/representation.hpp"
#include "io/shape.hpp"

namespace ranklet::io {

class View {
 public:
  // Errors: arg (a negative displacement; the filetype does not consist of etypes), io (its displacements are
  // negative or decrease, §14.3).
  View(Count displacement, Datatype& etype, Datatype& filetype, RepresentationPtr representation);

  Count displacement() const noexcept { return displacement_; }
  Datatype& etype() const noexcept { return *etype_; }
  Datatype& filetype() const noexcept { return *filetype_; }
  const Representation& representation() const noexcept { return *representation_; }

  // Bytes of an etype in the file.
  Count etype_size() const noexcept { return etype_size_; }
  Count etype_extent() const noexcept { return etype_extent_; }
  bool has_data() const noexcept { return form_->size() > 0; }
  // All bytes from the displacement on.
  bool is_contiguous() const noexcept { return form_->is_contiguous() && form_->size() > 0; }
  // No place has two positions, and the order of the places is that of the positions.
  bool is_disjoint() const noexcept { return disjoint_; }
  // May be written through: a filetype's data must not overlap then.
  bool is_writable() const noexcept { return shape_.disjoint; }
  // The filetype as it lies in the file.
  const Datatype& form() const noexcept { return *form_; }

  // Errors: arg (the view has no data), value_too_large.
  Count place_of(Count position) const;
  // How many bytes of the view's data lie before that place.
  Count data_before(Count place) const;

 private:
  const Count displacement_;
  const Ref<Datatype> etype_, filetype_;
  const RepresentationPtr representation_;
  const Ref<Datatype> form_;
  Count etype_size_;
  Count etype_extent_;
  Shape shape_;
  bool disjoint_ = true;
};

using ViewPtr = std::shared_ptr<const View>;

}  // namespace ranklet::io
