// Operators between typed buffers. Contiguous ones go straight to the kernel; others pass through small
// aligned buffers that stay in the first-level cache.
#include <algorithm>

#include "datatype/copy.hpp"
#include "datatype/kernels.hpp"
#include "datatype/op.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

constexpr Count buffer_bytes = 4096;

// Elements of one predefined type, taken from packed position `offset` on and put back there.
class Staging {
 public:
  explicit Staging(const Datatype& element) : element_(element), n_(buffer_bytes / element.extent()) {}

  Count capacity() const { return n_; }
  char* values() { return values_; }

  void take(const void* src, Count count, const Datatype& type, Count offset, Count n)
  {
    char* packed = element_.is_contiguous() ? values_ : packed_;
    pack(src, count, type, offset, packed, n * element_.size());
    // A pair may have a gap in memory, but has none in packed data.
    if (packed == packed_) unpack(values_, n, element_, 0, packed_, n * element_.size());
  }
  void put(void* dst, Count count, const Datatype& type, Count offset, Count n)
  {
    const char* packed = values_;
    if (!element_.is_contiguous()) {
      pack(values_, n, element_, 0, packed_, n * element_.size());
      packed = packed_;
    }
    unpack(dst, count, type, offset, packed, n * element_.size());
  }

 private:
  const Datatype& element_;
  Count n_;
  alignas(64) char values_[buffer_bytes];
  alignas(64) char packed_[buffer_bytes];
};

}  // namespace

void accumulate(const Op& op, const void* src, Count src_count, const Datatype& src_type, void* dst,
                Count dst_count, const Datatype& dst_type)
{
  if (op.kind() == OpKind::no_op) return;
  if (op.kind() == OpKind::replace) {
    copy(src, src_count, src_type, dst, dst_count, dst_type);
    return;
  }
  if (!op.is_predefined()) fail(ErrorClass::op, "a user-defined operator cannot accumulate");
  if (src_count == 0 || dst_count == 0 || src_type.size() == 0 || dst_type.size() == 0) return;
  const Basic basic = src_type.uniform();
  if (basic == Basic::none || basic != dst_type.uniform())
    fail(ErrorClass::type, "the buffers do not consist of one predefined type");
  const Datatype& element = predefined(basic);
  check_valid_for(op, element);
  const auto function = kernel(op.kind(), basic).two;
  const Count n = std::min(src_count * src_type.size(), dst_count * dst_type.size()) / element.size();

  const bool is_plain = (src_type.is_contiguous() && dst_type.is_contiguous() && element.is_contiguous()) ||
                        (src_type.basic() == basic && dst_type.basic() == basic);
  if (is_plain) return function(src, dst, n);

  Staging from(element);
  Staging to(element);
  for (Count done = 0; done < n; done += from.capacity()) {
    const Count m = std::min(from.capacity(), n - done);
    const Count offset = done * element.size();
    from.take(src, src_count, src_type, offset, m);
    to.take(dst, dst_count, dst_type, offset, m);
    function(from.values(), to.values(), m);
    to.put(dst, dst_count, dst_type, offset, m);
  }
}

}  // namespace ranklet
