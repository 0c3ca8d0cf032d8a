#include "datatype/signature.hpp"

#include <algorithm>

#include "datatype/checked.hpp"

// The hash of a sequence is its value as a polynomial at `base` modulo a prime: hash(AB) = hash(A) * base^|B|
// + hash(B). So a repetition costs the logarithm of its count.

namespace ranklet {

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t base = 0x0f4c957f2d14be69;  // any large number below the prime

__extension__ typedef unsigned __int128 Wide;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b)
{
  const Wide product = static_cast<Wide>(a) * b;
  const std::uint64_t sum =
      static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
  return sum >= prime ? sum - prime : sum;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b)
{
  const std::uint64_t sum = a + b;
  return sum >= prime ? sum - prime : sum;
}

std::uint64_t power(std::uint64_t value, Count exponent)
{
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, value = multiply(value, value))
    if (exponent & 1) result = multiply(result, value);
  return result;
}

// The first `elements` basic elements of one element of `type`.
Signature prefix_of_one(Count elements, const Datatype& type)
{
  Signature result;
  for (const SignatureRun& part : type.parts()) {
    if (elements == 0) break;
    const Count take = std::min(elements, part.count * part.type->signature().elements);
    result = concatenate(result, signature_prefix(take, part.count, *part.type));
    elements -= take;
  }
  return result;
}

}  // namespace

Signature signature_of(Basic basic)
{
  // Spread over the range, so that sums of neighbouring codes do not collide.
  const auto code = multiply(static_cast<std::uint64_t>(basic) + 1, 0x1b873593cc9e2d51 % prime);
  return {1, code, basic == Basic::packed};
}

Signature concatenate(const Signature& first, const Signature& second)
{
  if (first.elements == 0) return second;
  if (second.elements == 0) return first;
  return {checked_add(first.elements, second.elements),
          add(multiply(first.hash, power(base, second.elements)), second.hash),
          first.packed || second.packed};
}

Signature repeat(const Signature& signature, Count count)
{
  Signature result;
  if (signature.elements == 0 || count <= 0) return result;
  result.elements = checked_mul(signature.elements, count);
  result.packed = signature.packed;
  // Square and multiply over pairs (hash, base^length).
  std::uint64_t hash = signature.hash;
  std::uint64_t scale = power(base, signature.elements);
  for (; count > 0; count >>= 1) {
    if (count & 1) result.hash = add(multiply(result.hash, scale), hash);
    hash = add(multiply(hash, scale), hash);
    scale = multiply(scale, scale);
  }
  return result;
}

Signature signature(Count count, const Datatype& type)
{
  return repeat(type.signature(), count);
}

Signature signature_prefix(Count elements, Count count, const Datatype& type)
{
  const Count each = type.signature().elements;
  if (each == 0 || count <= 0 || elements <= 0) return {};
  const Count whole = std::min(count, elements / each);
  Signature result = repeat(type.signature(), whole);
  if (whole < count) result = concatenate(result, prefix_of_one(elements - whole * each, type));
  return result;
}

bool signatures_match(Count send_count, const Datatype& send, Count recv_count, const Datatype& recv)
{
  if (send.signature().packed || recv.signature().packed) return true;
  const Count length = std::min(checked_mul(send_count, send.signature().elements),
                                checked_mul(recv_count, recv.signature().elements));
  return signature_prefix(length, send_count, send) == signature_prefix(length, recv_count, recv);
}

}  // namespace ranklet
