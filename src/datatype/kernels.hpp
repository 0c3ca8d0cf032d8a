// The inner loops of the predefined operators, by operator and representation.
#pragma once

#include "datatype/basic.hpp"
#include "datatype/op.hpp"
#include "terms/types.hpp"

namespace ranklet {

struct Kernel {
  // inout[i] = in[i] op inout[i]
  void (*two)(const void* in, void* inout, Count n) = nullptr;
  // out[i] = a[i] op b[i]
  void (*three)(const void* a, const void* b, void* out, Count n) = nullptr;
};

// Null pointers where the type does not have the operation, as for replace and no_op.
const Kernel& kernel(OpKind op, Basic basic);

}  // namespace ranklet
