#include "datatype/builder.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "datatype/checked.hpp"
#include "datatype/signature.hpp"

namespace ranklet {

void check_not_negative(Count value, const char* what)
{
  if (value < 0) fail(ErrorClass::count, "%s %lld is negative", what, static_cast<long long>(value));
}

void check_same_length(std::size_t a, std::size_t b)
{
  if (a != b) fail(ErrorClass::arg, "the arrays have %zu and %zu entries", a, b);
}

void TypeBuilder::place(Datatype& old, Count copies, Count first, Count last)
{
  if (copies == 0) return;
  if (old.size_ > 0) {
    const Count lb = checked_add(first, old.true_lb_);
    const Count ub = checked_add(checked_add(last, old.true_lb_), old.true_extent_);
    data_lb_ = any_data_ ? std::min(data_lb_, lb) : lb;
    data_ub_ = any_data_ ? std::max(data_ub_, ub) : ub;
    any_data_ = true;
    type_->alignment_ = std::max(type_->alignment_, old.alignment_);

    std::vector<SignatureRun>& parts = type_->parts_;
    if (!parts.empty() && parts.back().type.get() == &old)
      parts.back().count = checked_add(parts.back().count, copies);
    else
      parts.push_back({copies, Ref<Datatype>(old)});
    type_->size_ = checked_add(type_->size_, checked_mul(copies, old.size_));
  }
  if (old.marked_) {
    const Count lb = checked_add(first, old.lb_);
    const Count ub = checked_add(checked_add(last, old.lb_), old.extent_);
    mark_lb_ = type_->marked_ ? std::min(mark_lb_, lb) : lb;
    mark_ub_ = type_->marked_ ? std::max(mark_ub_, ub) : ub;
    type_->marked_ = true;
  }
}

Piece TypeBuilder::place_block(Datatype& old, Count block, Count displacement)
{
  if (block == 0) return {};
  const Count end = checked_add(displacement, checked_mul(block - 1, old.extent_));
  place(old, block, std::min(displacement, end), std::max(displacement, end));
  return shift(repeat(old.layout_, block, old.extent_), displacement);
}

void TypeBuilder::mark(Count lb, Count extent)
{
  set_by_hand_ = true;
  mark_lb_ = lb;
  mark_ub_ = checked_add(lb, extent);
}

void TypeBuilder::record(Width width, const std::vector<Count>& counts, const std::vector<Count>& addresses)
{
  Contents& contents = type_->contents_;
  if (width == Width::large) {
    contents.large_counts = counts;
    contents.large_counts.insert(contents.large_counts.end(), addresses.begin(), addresses.end());
    return;
  }
  contents.addresses = addresses;
  contents.integers.reserve(contents.integers.size() + counts.size());
  for (const Count count : counts) {
    if (count != static_cast<int>(count))
      fail(ErrorClass::value_too_large, "%lld does not fit an int", static_cast<long long>(count));
    contents.integers.push_back(static_cast<int>(count));
  }
}

// A count multiplies the size and the extent; the beginning and end of the data are added. Half of the range
// is left for other terms: positions in buffers, overheads.
void TypeBuilder::set_most_elements(Datatype& type)
{
  constexpr Count largest = std::numeric_limits<Count>::max() / 2;
  const auto magnitude = [](Count value) { return value < -largest ? largest : std::abs(value); };
  const Count around = std::max(magnitude(type.true_lb_), type.true_extent_);
  const Count step = std::max(type.size_, magnitude(type.extent_));
  type.most_elements_ =
      step == 0 ? std::numeric_limits<Count>::max() : std::max<Count>(1, (largest - around) / step);
}

// The bounds of §5.1: markers rule where there are any, else the data, padded to the strictest alignment.
Ref<Datatype> TypeBuilder::finish(Piece layout)
{
  Datatype& type = *type_;
  if (any_data_) {
    type.true_lb_ = data_lb_;
    type.true_extent_ = checked_add(data_ub_, checked_mul(data_lb_, -1));
  }
  if (set_by_hand_ || type.marked_) {
    type.marked_ = true;
    type.lb_ = mark_lb_;
    type.extent_ = checked_add(mark_ub_, checked_mul(mark_lb_, -1));
  } else if (any_data_) {
    type.lb_ = data_lb_;
    type.extent_ = checked_add(type.true_extent_, type.alignment_ - 1) / type.alignment_ * type.alignment_;
  }

  bool first = true;
  for (const SignatureRun& part : type.parts_) {
    type.signature_ = concatenate(type.signature_, repeat(part.type->signature_, part.count));
    type.uniform_ = first || type.uniform_ == part.type->uniform_ ? part.type->uniform_ : Basic::none;
    first = false;
  }
  type.layout_ = std::move(layout);
  type.contiguous_ =
      type.extent_ == type.size_ && (type.size_ == 0 || (type.layout_.is_run() && type.layout_.offset == 0));
  set_most_elements(type);
  return Ref<Datatype>::adopt(type_.release());
}

Ref<Datatype> TypeBuilder::finish_as(const Datatype& old, bool is_predefined)
{
  Datatype& type = *type_;
  type.size_ = old.size_;
  type.extent_ = old.extent_;
  type.most_elements_ = old.most_elements_;
  type.contiguous_ = old.contiguous_;
  type.predefined_ = is_predefined;
  type.committed_ = old.committed_;
  type.basic_ = old.basic_;
  type.uniform_ = old.uniform_;
  type.marked_ = old.marked_;
  type.lb_ = old.lb_;
  type.true_lb_ = old.true_lb_;
  type.true_extent_ = old.true_extent_;
  type.alignment_ = old.alignment_;
  type.layout_ = old.layout_;
  type.signature_ = old.signature_;
  // A part that is the old type itself keeps it alive, and serves a predefined type, which has no parts, too.
  type.parts_.push_back({1, Ref<Datatype>(const_cast<Datatype&>(old))});
  return Ref<Datatype>::adopt(type_.release());
}

void TypeBuilder::make_predefined(Datatype& type, const BasicInfo& info, Datatype* table)
{
  type.counted_ = false;
  type.predefined_ = true;
  type.committed_ = true;
  type.basic_ = info.basic;
  type.uniform_ = info.basic;
  type.size_ = info.size;
  type.alignment_ = info.alignment;
  type.true_extent_ = info.size;
  type.name_ = info.name;
  if (info.group == TypeGroup::pair) {
    // As the C struct {value; index}: the index may follow a gap (MPI_SHORT_INT).
    Datatype& value = table[static_cast<int>(info.value)];
    Datatype& index = table[static_cast<int>(info.index)];
    const Count at = std::max(value.size_, index.alignment_);
    type.layout_ = join({value.layout_, shift(index.layout_, at)});
    type.true_extent_ = at + index.size_;
    type.parts_ = {{1, Ref<Datatype>(value)}, {1, Ref<Datatype>(index)}};
    type.signature_ = concatenate(value.signature_, index.signature_);
  } else {
    type.layout_ = Piece{0, info.size, nullptr};
    type.signature_ = signature_of(info.basic);
  }
  type.extent_ = (type.true_extent_ + info.alignment - 1) / info.alignment * info.alignment;
  type.contiguous_ = type.extent_ == type.size_;
  set_most_elements(type);
}

Datatype* TypeBuilder::predefined_table()
{
  // Never destroyed: threads of ranks may outlive the destructors of static objects.
  static Datatype* const table = [] {
    auto* types = new Datatype[basic_count];
    for (const BasicInfo& info : all_predefined())
      make_predefined(types[static_cast<int>(info.basic)], info, types);
    return types;
  }();
  return table;
}

void Datatype::destroy() const
{
  delete this;
}

Datatype& predefined(Basic basic)
{
  return TypeBuilder::predefined_table()[static_cast<int>(basic)];
}

}  // namespace ranklet
