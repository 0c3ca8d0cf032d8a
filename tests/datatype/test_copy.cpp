// What random types do not reach: long strips of every run length, and questions about runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "datatype/copy.hpp"

using namespace ranklet;

TEST_CASE("strips of every run length, strided and listed, on both sides")
{
  constexpr Count runs = 37;
  for (Count block = 1; block <= 70; ++block) {
    CAPTURE(block);
    Datatype& byte = predefined(Basic::byte);
    const Count gap = block + 3;
    const auto strided = create_vector(runs, block, gap, byte);
    std::vector<Count> places;
    for (Count i = 0; i < runs; ++i) places.push_back(i * gap + i % 3);
    const auto listed = create_indexed_block(block, places, byte);
    const auto dense = create_contiguous(runs * block, byte);

    std::vector<unsigned char> source(static_cast<std::size_t>(runs * gap + 3));
    std::iota(source.begin(), source.end(), 1);
    const auto at = [&](const Datatype& type, Count i) {
      const Count run = i / block;
      return static_cast<std::size_t>(
          &type == dense.get() ? i : run * gap + (&type == listed.get() ? run % 3 : 0) + i % block);
    };
    for (const Datatype* from : {strided.get(), listed.get(), dense.get()}) {
      for (const Datatype* to : {strided.get(), listed.get(), dense.get()}) {
        std::vector<unsigned char> target(source.size(), 0);
        std::vector<unsigned char> wanted(source.size(), 0);
        for (Count i = 0; i < runs * block; ++i) wanted[at(*to, i)] = source[at(*from, i)];
        REQUIRE(copy(source.data(), 1, *from, target.data(), 1, *to) == runs * block);
        REQUIRE(target == wanted);
      }
    }
  }
}

TEST_CASE("places are addresses at MPI_BOTTOM")
{
  void* volatile null = nullptr;  // no constant, of which g++ warns
  void* const bottom = null;
  constexpr Count runs = 11;
  Datatype& byte = predefined(Basic::byte);
  for (const Count block : {4, 5, 8, 12}) {
    CAPTURE(block);
    std::vector<unsigned char> source(static_cast<std::size_t>(runs * (block + 3)));
    std::iota(source.begin(), source.end(), 1);
    std::vector<unsigned char> target(source.size()), packed(source.size());
    // All equal, regular, of varying length, one.
    const auto types = [&](std::vector<unsigned char>& room) {
      const auto address = reinterpret_cast<Count>(room.data());
      std::vector<Count> places, lengths;
      for (Count i = 0; i < runs; ++i) {
        places.push_back(address + i * (block + 3) - i % 2);
        lengths.push_back(block - i % 3 + (i % 3 == 0 ? 2 : 0));
      }
      const std::vector<Count> one{address};
      return std::array{
          create_hindexed_block(block, places, byte),
          create_hindexed_block(1, one, *create_hvector(runs, block, block + 2, byte)),
          create_hindexed(lengths, places, byte),
          create_hindexed_block(runs * block, one, byte),
      };
    };
    const auto from = types(source), to = types(target), out = types(packed);
    for (const auto& s : from)
      for (const auto& d : to) {
        const Count bytes = std::min(s->size(), d->size());
        REQUIRE(copy(bottom, 1, *s, bottom, 1, *d) == bytes);
        const auto n = static_cast<std::size_t>(bytes);
        std::vector<unsigned char> sent(n), received(n);
        pack(bottom, 1, *s, 0, sent.data(), bytes);
        pack(bottom, 1, *d, 0, received.data(), bytes);
        REQUIRE(sent == received);
        unpack(bottom, 1, *out[0], 0, sent.data(), std::min(bytes, out[0]->size()));
      }
  }
}

TEST_CASE("copy stops at the smaller side")
{
  const int source[6] = {1, 2, 3, 4, 5, 6};
  int target[6] = {};
  Datatype& type = predefined(Basic::int_);
  CHECK(copy(source, 6, type, target, 2, type) == 8);
  CHECK(target[1] == 2);
  CHECK(target[2] == 0);
  const auto every_other = create_vector(3, 1, 2, type);
  CHECK(copy(source, 2, type, target, 1, *every_other) == 8);
  CHECK(target[2] == 2);
  CHECK(target[4] == 0);
  CHECK_FALSE(fits(4, type, 1, *every_other));
  CHECK(fits(3, type, 1, *every_other));
}

TEST_CASE("nesting deeper than the inline levels")
{
  // Each level has a gap of its own, so that none can be merged: 2^12 ints.
  Ref<Datatype> type(predefined(Basic::int_));
  for (int level = 0; level < 12; ++level)
    type = create_hvector(2, 1, type->extent() + 4 * (level + 1), *type);
  std::vector<int> source(static_cast<std::size_t>(type->extent() / 4));
  std::iota(source.begin(), source.end(), 0);
  std::vector<int> packed(4096);
  REQUIRE(pack(source.data(), 1, *type, 0, packed.data(), 4096 * 4) == 4096 * 4);
  for (std::size_t i = 1; i < packed.size(); ++i) REQUIRE(packed[i] > packed[i - 1]);
  std::vector<int> again(source.size(), 0);
  for (Count at = 0; at < 4096 * 4; at += 1000)
    REQUIRE(unpack(again.data(), 1, *type, at, reinterpret_cast<char*>(packed.data()) + at,
                   std::min<Count>(1000, 4096 * 4 - at)) == std::min<Count>(1000, 4096 * 4 - at));
  for (const int value : packed) REQUIRE(again[static_cast<std::size_t>(value)] == value);
}

TEST_CASE("types that are one run")
{
  Count offset = -1;
  CHECK(is_one_run(5, predefined(Basic::int_), &offset));
  CHECK(offset == 0);
  const Count one[] = {3};
  const Count place[] = {12};
  const auto moved = create_hindexed(one, place, predefined(Basic::int_));
  CHECK(is_one_run(1, *moved, &offset));
  CHECK(offset == 12);
  CHECK(is_one_run(4, *moved, &offset));
  const auto padded = create_resized(predefined(Basic::int_), 0, 8);
  CHECK(is_one_run(1, *padded, &offset));
  CHECK(offset == 0);
  CHECK_FALSE(is_one_run(2, *padded, &offset));
  CHECK(is_one_run(0, *padded, &offset));
}
