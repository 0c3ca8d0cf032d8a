// Counting what a number of bytes holds (§3.2.5, §5.1.11), and back.
#include <algorithm>

#include "datatype/checked.hpp"
#include "datatype/datatype.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

// Basic elements in the first `bytes` bytes of one element of `type`, 0 < bytes < size; undefined if the last
// is cut.
Count elements_in_part(Count bytes, const Datatype& type)
{
  Count elements = 0;
  for (const SignatureRun& part : type.parts()) {
    const Count size = part.type->size();
    const Count whole = std::min(part.count, bytes / size);
    elements += whole * part.type->signature().elements;
    bytes -= whole * size;
    if (bytes == 0) return elements;
    if (whole < part.count) {
      const Count inner = elements_in_part(bytes, *part.type);
      return inner == undefined ? undefined : elements + inner;
    }
  }
  return undefined;  // a basic type has no parts
}

Count bytes_of_elements(Count elements, const Datatype& type)
{
  const Count each = type.signature().elements;
  Count bytes = checked_mul(elements / each, type.size());
  elements %= each;
  for (const SignatureRun& part : type.parts()) {
    if (elements == 0) break;
    const Count take = std::min(elements, part.count * part.type->signature().elements);
    bytes += bytes_of_elements(take, *part.type);
    elements -= take;
  }
  return bytes;
}

}  // namespace

Count get_count(Count bytes, const Datatype& type)
{
  if (bytes == 0) return 0;
  if (type.size() == 0 || bytes % type.size() != 0) return undefined;
  return bytes / type.size();
}

Count get_elements(Count bytes, const Datatype& type)
{
  if (bytes == 0) return 0;
  if (type.size() == 0) return undefined;
  const Count elements = checked_mul(bytes / type.size(), type.signature().elements);
  const Count rest = bytes % type.size();
  if (rest == 0) return elements;
  const Count inner = elements_in_part(rest, type);
  return inner == undefined ? undefined : elements + inner;
}

Count elements_to_bytes(Count elements, const Datatype& type)
{
  if (elements == 0) return 0;
  if (type.size() == 0)
    fail(ErrorClass::arg, "a type without data has no %lld elements", static_cast<long long>(elements));
  return bytes_of_elements(elements, type);
}

}  // namespace ranklet
