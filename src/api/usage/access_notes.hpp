// What the narrator remembers of the accesses that it has told of, by the label that stands for them in what
// the detector reports.
//
// Thread safety: the caller's lock; what a label leads to is constant.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "api/usage/call_record.hpp"
#include "base/race_detector.hpp"
#include "check/check.hpp"

namespace ranklet::api {

struct AccessNote {
  enum class Use : unsigned char {
    target,     // one-sided: the data at the target
    origin,     // and the buffers at the origin
    operation,  // a buffer that an operation uses until it is complete
    call,       // a buffer that a blocking call uses
  };

  CallRecordRef call;
  Use use = Use::call;
  bool written = false;
  // Of data at a target.
  int target = 0;
  rma::Access epoch = rma::Access::none;
  std::uintptr_t begin = 0;  // the first byte
  std::uintptr_t part = 0;   // its part of the window; 0 in dynamic ones
};

class AccessNotes {
 public:
  // For an access of a call made at that site. Calls alike have one label; of one site with ever other
  // arguments, the later ones share it, so that a place is not reported again and again.
  races::Label label(const void* site, AccessNote note);
  static const AccessNote& of(races::Label label) noexcept
  {
    return *reinterpret_cast<const AccessNote*>(label & ~races::label_bit);
  }

 private:
  static constexpr std::size_t most_alike = 8;

  using Key = std::tuple<const void*, const FunctionInfo*, AccessNote::Use, bool>;
  std::map<Key, std::vector<std::unique_ptr<AccessNote>>> notes_;
};

}  // namespace ranklet::api
