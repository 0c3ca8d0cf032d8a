#include <doctest/doctest.h>

#include <array>
#include <random>
#include <set>

#include "check/pending_buffers.hpp"
#include "datatype/runs.hpp"

using namespace ranklet;
using namespace ranklet::check;

namespace {

std::array<char, 4096> memory;

BufferUse use_of(Count at, Count count, Ref<const Datatype> type, bool written)
{
  return {memory.data() + at, count, std::move(type), written, {}};
}

std::set<const char*> bytes_of(const BufferUse& use)
{
  std::set<const char*> bytes;
  for_each_run(const_cast<void*>(use.address), use.count, *use.type, [&](const char* at, Count n) {
    for (Count i = 0; i < n; ++i) bytes.insert(at + i);
  });
  return bytes;
}

bool share_bytes(const BufferUse& one, const BufferUse& other)
{
  const std::set<const char*> known = bytes_of(one);
  for (const char* at : bytes_of(other))
    if (known.contains(at)) return true;
  return false;
}

Ref<const Datatype> random_type(std::mt19937& random)
{
  Datatype& base = predefined(random() % 2 ? Basic::int_ : Basic::char_);
  switch (random() % 3) {
    case 0:
      return Ref<const Datatype>(base);
    case 1:
      return Ref<const Datatype>(
          *create_vector(1 + random() % 5, 1 + random() % 3, static_cast<Count>(random() % 9) - 4, base));
    default: {
      const Count blocks[] = {static_cast<Count>(random() % 3), static_cast<Count>(random() % 3)};
      const Count places[] = {static_cast<Count>(random() % 5), 5 + static_cast<Count>(random() % 5)};
      return Ref<const Datatype>(*create_indexed(blocks, places, base));
    }
  }
}

}  // namespace

TEST_CASE("a buffer overlaps itself when two of its entries share a byte")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    const Ref<const Datatype> type = random_type(random);
    const Ref<const Datatype> resized(*create_resized(const_cast<Datatype&>(*type), 0, random() % 20));
    const BufferUse use = use_of(2000, 1 + random() % 2, resized, true);
    const bool overlaps = static_cast<Count>(bytes_of(use).size()) < use.count * use.type->size();
    CHECK(overlaps_itself(use) == overlaps);
    found += overlaps;
  }
  CHECK(found > 0);
}

TEST_CASE("buffers overlap when they share a byte of data")
{
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  PendingBuffers pending;
  std::vector<BufferUse> uses;
  for (int i = 0; i < 300; ++i) {
    const BufferUse use = use_of(1000 + static_cast<Count>(random() % 300), static_cast<Count>(random() % 4),
                                 random_type(random), random() % 2 == 0);
    std::size_t expected = 0;
    for (const BufferUse& known : uses) {
      CHECK(overlap(use, known) == share_bytes(use, known));
      expected += (use.written || known.written) && share_bytes(use, known);
    }
    CHECK(pending.conflicts(use).size() == expected);
    if (i % 8 == 0) {
      uses.push_back(use);
      pending.add(&memory[static_cast<std::size_t>(i)], use);
    }
  }
  for (int i = 0; i < 300; ++i) CHECK(pending.remove(&memory[static_cast<std::size_t>(i)]).empty());
  CHECK(pending.conflicts(use_of(0, 4096, Ref<const Datatype>(predefined(Basic::char_)), true)).empty());
}

TEST_CASE("a send buffer that changes is found, gaps between its data may change")
{
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const Ref<const Datatype> column(*create_vector(10, 3, 7, predefined(Basic::char_)));
  for (int i = 0; i < 200; ++i) {
    PendingBuffers pending;
    pending.add(&pending, use_of(100, 2, column, false));
    char& changed = memory[90 + random() % 200];
    ++changed;
    const bool is_data = bytes_of(use_of(100, 2, column, false)).contains(&changed);
    CHECK(pending.remove(&pending).size() == static_cast<std::size_t>(is_data));
    CHECK(pending.remove(&pending).empty());
  }
}

TEST_CASE("one buffer of an operation may end before the others")
{
  PendingBuffers pending;
  const Ref<const Datatype> ints(predefined(Basic::int_));
  for (const Count at : {0, 100, 200}) pending.add(&pending, use_of(at, 10, ints, true));
  CHECK(pending.remove(&pending, memory.data() + 100).empty());
  CHECK(pending.conflicts(use_of(100, 10, ints, true)).empty());
  CHECK(pending.conflicts(use_of(0, 75, ints, true)).size() == 2);
  pending.remove(&pending);
  CHECK(pending.conflicts(use_of(0, 75, ints, true)).empty());
}

TEST_CASE("data that does not fit the address space overlaps nothing")
{
  PendingBuffers pending;
  const Ref<const Datatype> ints(predefined(Basic::int_));
  pending.add(&pending, use_of(0, 4, ints, true));
  for (const Count huge : {Count{1} << 62, Count{1} << 61, Count{1} << 60}) {
    const BufferUse use = use_of(0, huge, ints, true);
    if (huge > Count{1} << 60) CHECK(hull(use).empty());
    pending.add(&use, use);
    pending.remove(&use);
  }
  CHECK(overlap(use_of(0, Count{1} << 62, ints, true), use_of(0, 4, ints, true)) == false);
}
