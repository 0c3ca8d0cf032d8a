#include "io/view.hpp"

#include "datatype/checked.hpp"
#include "datatype/cursor.hpp"
#include "terms/error.hpp"

namespace ranklet::io {

View::View(Count displacement, Datatype& etype, Datatype& filetype, RepresentationPtr representation)
    : displacement_(displacement),
      etype_(etype),
      filetype_(filetype),
      representation_(std::move(representation)),
      form_(type_in_file(*representation_, filetype))
{
  if (displacement < 0)
    fail(ErrorClass::arg, "the displacement %lld of the view is negative",
         static_cast<long long>(displacement));
  const Ref<Datatype> form = type_in_file(*representation_, etype);
  etype_size_ = form->size();
  etype_extent_ = form->extent();
  if (etype_size_ == 0 ? form_->size() != 0 : form_->size() % etype_size_ != 0)
    fail(ErrorClass::arg, "the filetype of %lld bytes does not consist of etypes of %lld bytes",
         static_cast<long long>(form_->size()), static_cast<long long>(etype_size_));
  if (form_->size() == 0) return;
  shape_ = shape_of(form_->layout());
  if (shape_.first < 0)
    fail(ErrorClass::io, "the filetype has data at the negative displacement %lld",
         static_cast<long long>(shape_.first));
  if (!shape_.ascending) fail(ErrorClass::io, "the filetype's displacements decrease");
  disjoint_ = shape_.disjoint && form_->extent() > 0 && shape_.first + form_->extent() >= shape_.end;
}

Count View::place_of(Count position) const
{
  if (!has_data()) fail(ErrorClass::arg, "the filetype of the view has no data");
  const Count tile = position / form_->size();
  const Count begin = checked_add(displacement_, checked_mul(tile, form_->extent()));
  Cursor cursor(*form_, 1, position % form_->size());
  cursor.fill();
  return checked_add(begin, cursor.place());
}

Count View::data_before(Count place) const
{
  if (!has_data()) return 0;
  const Count inside = place - displacement_;
  if (inside <= shape_.first) return 0;
  const Count tile = form_->extent() > 0 ? (inside - shape_.first) / form_->extent() : 0;
  return tile * form_->size() + io::data_before(form_->layout(), inside - tile * form_->extent());
}

}  // namespace ranklet::io
