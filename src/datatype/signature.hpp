// Hashes of sequences of basic types that can be joined and repeated without walking the sequence.
#pragma once

#include "datatype/datatype.hpp"

namespace ranklet {

Signature signature_of(Basic basic);  // not a pair
Signature concatenate(const Signature& first, const Signature& second);
Signature repeat(const Signature& signature, Count count);

}  // namespace ranklet
