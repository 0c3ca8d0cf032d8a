// Random nested types against the byte map of their type map.
#include <doctest/doctest.h>

#include <cstring>

#include "base/sanitized.hpp"
#include "datatype/copy.hpp"
#include "datatype/random_type.hpp"

using namespace ranklet;
using reference::Both;
using reference::Random;

namespace {

constexpr int rounds = sanitized ? 1000 : 10000;

// Memory that holds `count` elements exactly; address() is what the MPI call would get.
class Buffer {
 public:
  Buffer(const reference::Type& type, Count count) : places_(byte_map(type, count))
  {
    for (const Count place : places_) {
      low_ = std::min(low_, place);
      high_ = std::max(high_, place + 1);
    }
    bytes_.resize(static_cast<std::size_t>(high_ - low_), '\x55');
  }
  char* address() { return bytes_.data() - low_; }
  const std::vector<Count>& places() const { return places_; }
  std::vector<char>& bytes() { return bytes_; }
  char& at(Count place) { return bytes_[static_cast<std::size_t>(place - low_)]; }

 private:
  std::vector<Count> places_;
  Count low_ = 0;
  Count high_ = 0;
  std::vector<char> bytes_;
};

void fill(Buffer& buffer, Random& random)
{
  for (char& byte : buffer.bytes()) byte = static_cast<char>(random(0, 255));
}

std::vector<char> packed_by_map(Buffer& buffer)
{
  std::vector<char> packed;
  for (const Count place : buffer.places()) packed.push_back(buffer.at(place));
  return packed;
}

// Enough for every element to be worth it, few enough to be quick.
bool usable(const Both& type)
{
  return type.plain.map.size() <= 150;
}

// body(random, type) for types whose data can lie in memory.
template <class Body>
void with_random_types(Body body)
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Both type = random_type(random, 3);
    if (usable(type)) body(random, type);
  }
}

}  // namespace

TEST_CASE("random types have the bounds of their type map")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  Random random(seed);
  int with_data = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Both type = random_type(random, 3);
    REQUIRE(type.real->size() == type.plain.size());
    REQUIRE(type.real->lb() == type.plain.lb());
    REQUIRE(type.real->extent() == type.plain.extent());
    REQUIRE(type.real->true_lb() == type.plain.true_lb());
    REQUIRE(type.real->true_extent() == type.plain.true_ub() - type.plain.true_lb());
    REQUIRE(type.real->signature().elements == static_cast<Count>(type.plain.map.size()));
    REQUIRE(type.real->layout().bytes == type.plain.size());
    // One memcpy from offset 0 is right exactly if the map of two elements is 0, 1, 2, ...
    bool dense = true;
    Count next = 0;
    for (const Count place : byte_map(type.plain, 2)) dense = dense && place == next++;
    dense = dense && type.plain.extent() == type.plain.size();
    REQUIRE(type.real->is_contiguous() == dense);
    with_data += type.plain.size() > 0;
  }
  CHECK(with_data > rounds / 2);
}

TEST_CASE("copying between random types of one signature")
{
  with_random_types([](Random& random, const Both& send) {
    if (send.plain.map.empty()) return;
    const Count count = random(1, 3);
    Buffer source(send.plain, count);
    fill(source, random);

    std::vector<Basic> sent;
    for (Count i = 0; i < count; ++i)
      for (const auto& entry : send.plain.map) sent.push_back(entry.basic);
    const Both recv = random_receiver(random, sent);
    Buffer target(recv.plain, 1);
    REQUIRE(signatures_match(count, *send.real, 1, *recv.real));
    REQUIRE(fits(count, *send.real, 1, *recv.real));

    std::vector<char> expected = target.bytes();
    const std::vector<char> data = packed_by_map(source);
    Buffer wanted(recv.plain, 1);
    for (std::size_t i = 0; i < data.size(); ++i) wanted.at(wanted.places()[i]) = data[i];

    const Count moved = copy(source.address(), count, *send.real, target.address(), 1, *recv.real);
    const auto total = static_cast<Count>(data.size());
    REQUIRE(moved == total);
    REQUIRE(target.bytes() == wanted.bytes());

    // The same in two parts, the latter first.
    Buffer again(recv.plain, 1);
    const Count split = random(0, total);
    REQUIRE(copy_part(source.address(), count, *send.real, again.address(), 1, *recv.real, split, total) ==
            total - split);
    REQUIRE(copy_part(source.address(), count, *send.real, again.address(), 1, *recv.real, 0, split) ==
            split);
    REQUIRE(again.bytes() == wanted.bytes());
  });
}

TEST_CASE("packing and unpacking random types in random portions")
{
  with_random_types([](Random& random, const Both& type) {
    const Count count = random(0, 3);
    Buffer source(type.plain, count);
    fill(source, random);
    const std::vector<char> expected = packed_by_map(source);
    const auto total = static_cast<Count>(expected.size());

    std::vector<char> packed(expected.size() + 8, '\x77');
    for (Count at = 0; at < total;) {
      const Count portion = random(1, total);
      const Count done = pack(source.address(), count, *type.real, at, packed.data() + at, portion);
      REQUIRE(done == std::min(portion, total - at));
      at += done;
    }
    REQUIRE(pack(source.address(), count, *type.real, total, packed.data() + total, 8) == 0);
    REQUIRE(std::equal(expected.begin(), expected.end(), packed.begin()));
    REQUIRE(packed.back() == '\x77');

    // Unpacking what overlaps itself leaves the last writer's bytes; the byte map in order says the same.
    Buffer target(type.plain, count);
    Buffer wanted(type.plain, count);
    for (std::size_t i = 0; i < expected.size(); ++i) wanted.at(wanted.places()[i]) = expected[i];
    for (Count at = 0; at < total;) {
      const Count portion = random(1, total);
      at += unpack(target.address(), count, *type.real, at, packed.data() + at, portion);
    }
    REQUIRE(target.bytes() == wanted.bytes());
  });
}

TEST_CASE("pack and unpack at every split of deep types")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  Random random(seed);
  int tried = 0;
  while (tried < rounds / 100) {
    const Both type = random_type(random, 4);
    // The work is quadratic in the size.
    if (type.plain.map.size() > 40 || type.plain.map.size() < 5) continue;
    ++tried;
    Buffer source(type.plain, 2);
    fill(source, random);
    const std::vector<char> expected = packed_by_map(source);
    const auto total = static_cast<Count>(expected.size());
    Buffer wanted(type.plain, 2);
    for (std::size_t i = 0; i < expected.size(); ++i) wanted.at(wanted.places()[i]) = expected[i];
    for (Count split = 0; split <= total; ++split) {
      CAPTURE(split);
      std::vector<char> packed(expected.size());
      REQUIRE(pack(source.address(), 2, *type.real, 0, packed.data(), split) == split);
      REQUIRE(pack(source.address(), 2, *type.real, split, packed.data() + split, total) == total - split);
      REQUIRE(packed == expected);
      Buffer target(type.plain, 2);
      REQUIRE(unpack(target.address(), 2, *type.real, 0, packed.data(), split) == split);
      REQUIRE(unpack(target.address(), 2, *type.real, split, packed.data() + split, total) == total - split);
      REQUIRE(target.bytes() == wanted.bytes());
    }
  }
}

TEST_CASE("random types in external32, and back into another type")
{
  with_random_types([](Random& random, const Both& send) {
    if (send.plain.map.empty()) return;
    const Count count = random(1, 2);
    Buffer source(send.plain, count);
    // Small numbers, which both formats hold.
    std::fill(source.bytes().begin(), source.bytes().end(), '\0');
    std::vector<Basic> sent;
    std::vector<char*> places;
    for (Count i = 0; i < count; ++i)
      for (const auto& entry : send.plain.map) {
        sent.push_back(entry.basic);
        places.push_back(&source.at(i * send.plain.extent() + entry.at));
        *places.back() = static_cast<char>(random(0, 100));
      }
    // Element by element.
    std::vector<char> expected;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      char one[32];
      const Count size = pack_external(places[i], 1, predefined(sent[i]), one, sizeof one);
      expected.insert(expected.end(), one, one + size);
    }
    const auto total = static_cast<Count>(expected.size());
    REQUIRE(external_size(count, *send.real) == total);
    std::vector<char> packed(expected.size());
    REQUIRE(pack_external(source.address(), count, *send.real, packed.data(), total) == total);
    REQUIRE(packed == expected);

    const Both recv = random_receiver(random, sent);
    Buffer target(recv.plain, 1);
    Buffer wanted(recv.plain, 1);
    Count at = 0;
    for (const auto& entry : recv.plain.map)
      at += unpack_external(&wanted.at(entry.at), 1, predefined(entry.basic), packed.data() + at, total - at);
    REQUIRE(external_size(1, *recv.real) == total);
    REQUIRE(unpack_external(target.address(), 1, *recv.real, packed.data(), total) == total);
    REQUIRE(target.bytes() == wanted.bytes());
  });
}

TEST_CASE("random types count their elements as their type map does")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  Random random(seed);
  for (int round = 0; round < rounds / 5; ++round) {
    CAPTURE(round);
    const Both type = random_type(random, 3);
    if (!usable(type) || type.plain.map.empty()) continue;
    const auto each = static_cast<Count>(type.plain.map.size());
    Count bytes = 0;
    for (Count elements = 0; elements < 2 * each; ++elements) {
      REQUIRE(get_elements(bytes, *type.real) == elements);
      REQUIRE(elements_to_bytes(elements, *type.real) == bytes);
      REQUIRE(get_count(bytes, *type.real) == (elements % each == 0 ? elements / each : Count{undefined}));
      const Count size = info(type.plain.map[static_cast<std::size_t>(elements % each)].basic).size;
      if (size > 1) REQUIRE(get_elements(bytes + 1, *type.real) == undefined);
      bytes += size;
    }
  }
}
