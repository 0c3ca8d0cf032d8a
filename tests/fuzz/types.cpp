// Descriptions of datatypes: the input is a program of constructors, each made of the types before it. What
// is made packs and unpacks a buffer of its true extent, within it; sizes that do not fit are refused with an
// Error.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "datatype/copy.hpp"
#include "datatype/datatype.hpp"
#include "terms/error.hpp"

namespace {

using ranklet::Count;
using ranklet::Datatype;
using ranklet::Ref;

// Numbers of the input; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}
  bool is_empty() const { return next_ == end_; }
  unsigned byte() { return is_empty() ? 0 : *next_++; }
  // Mostly small, at times as large as can be.
  Count number()
  {
    const unsigned first = byte();
    if (first != 255) return static_cast<Count>(first % 16) - 4;
    Count large = 0;
    for (int i = 0; i < 8; ++i) large = large << 7 | static_cast<Count>(byte());
    return large;
  }
  std::vector<Count> numbers(std::size_t count)
  {
    std::vector<Count> all(count);
    for (Count& one : all) one = number();
    return all;
  }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

Ref<Datatype> make(Input& input, std::vector<Ref<Datatype>>& types)
{
  const auto pick = [&]() -> Datatype& {
    static constexpr ranklet::Basic basics[] = {ranklet::Basic::byte, ranklet::Basic::int32,
                                                ranklet::Basic::real8};
    const std::size_t choice = input.byte() % (types.size() + std::size(basics));
    return choice < std::size(basics) ? ranklet::predefined(basics[choice])
                                      : *types[choice - std::size(basics)];
  };
  const unsigned kind = input.byte() % 9;
  Datatype& old = pick();
  const std::size_t n = input.byte() % 4;
  switch (kind) {
    case 0:
      return ranklet::create_contiguous(input.number(), old);
    case 1:
      return ranklet::create_vector(input.number(), input.number(), input.number(), old);
    case 2:
      return ranklet::create_hvector(input.number(), input.number(), input.number(), old);
    case 3:
      return ranklet::create_indexed(input.numbers(n), input.numbers(n), old);
    case 4:
      return ranklet::create_hindexed_block(input.number(), input.numbers(n), old);
    case 5: {
      std::vector<Datatype*> members;
      for (std::size_t i = 0; i < n; ++i) members.push_back(&pick());
      return ranklet::create_struct(input.numbers(n), input.numbers(n), members);
    }
    case 6:
      return ranklet::create_subarray(input.numbers(n), input.numbers(n), input.numbers(n),
                                      input.byte() % 2 ? ranklet::Order::c : ranklet::Order::fortran, old);
    case 7:
      return ranklet::create_resized(old, input.number(), input.number());
    default:
      return ranklet::create_twin(old);
  }
}

// What is unpacked twice lies as it lay after the first time, also where parts of the type overlap.
void round_trip(const Datatype& type)
{
  constexpr Count most = 1 << 12;
  if (type.size() <= 0 || type.size() > most || type.true_extent() <= 0 || type.true_extent() > most) return;
  // There is no address from which data that is further away is in memory.
  if (std::abs(type.true_lb()) > Count{1} << 40) return;
  // No byte before or behind is touched: AddressSanitizer looks.
  std::vector<char> from(static_cast<std::size_t>(type.true_extent()));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7 + 1);
  std::vector<char> packed(static_cast<std::size_t>(type.size())), again(packed.size());
  ranklet::pack(from.data() - type.true_lb(), 1, type, 0, packed.data(), type.size());
  std::vector<char> to(from.size());
  ranklet::unpack(to.data() - type.true_lb(), 1, type, 0, packed.data(), type.size());
  ranklet::pack(to.data() - type.true_lb(), 1, type, 0, again.data(), type.size());
  std::vector<char> twice(from.size());
  ranklet::unpack(twice.data() - type.true_lb(), 1, type, 0, again.data(), type.size());
  if (twice != to) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  Input input(data, size);
  std::vector<Ref<Datatype>> types;
  while (!input.is_empty() && types.size() < 8) {
    try {
      types.push_back(make(input, types));
      round_trip(*types.back());
    } catch (const ranklet::Error&) {
    }
  }
  return 0;
}
