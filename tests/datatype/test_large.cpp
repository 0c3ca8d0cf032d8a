// Counts beyond 2^31 and sums beyond 2^63.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <limits>
#include <vector>

#include "datatype/copy.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

constexpr Count giga = Count{1} << 30;

// Address space without memory behind it, but for the pages that are touched.
class Reserved {
 public:
  explicit Reserved(Count bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        data_(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
  {
    REQUIRE(data_ != MAP_FAILED);
  }
  ~Reserved() { munmap(data_, bytes_); }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  char* data() const { return static_cast<char*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace

TEST_CASE("sizes and extents beyond 2^31")
{
  const auto type = create_contiguous(8 * giga, predefined(Basic::double_), Width::large);
  CHECK(type->size() == 64 * giga);
  CHECK(type->is_contiguous());
  CHECK(get_count(128 * giga, *type) == 2);
  CHECK(get_elements(24 * giga, *type) == 3 * giga);
  const auto strided = create_vector(giga, 1, 1000, predefined(Basic::int_), Width::large);
  CHECK(strided->true_extent() == (giga - 1) * 4000 + 4);
  const Count sizes[] = {1 << 20, 1 << 20, 1 << 10};
  const Count halves[] = {1 << 19, 1 << 19, 1 << 9};
  const auto part =
      create_subarray(sizes, halves, halves, Order::c, predefined(Basic::double_), Width::large);
  CHECK(part->size() == Count{1} << 50);
  CHECK(part->extent() == Count{1} << 53);
}

TEST_CASE("descriptions that do not fit 64 bits are refused")
{
  const auto huge = create_contiguous(Count{1} << 60, predefined(Basic::byte), Width::large);
  for (const auto& make : std::vector<Ref<Datatype> (*)(Datatype&)>{
           [](Datatype& old) { return create_contiguous(16, old); },
           [](Datatype& old) { return create_vector(2, 1, 16, old); },
           [](Datatype& old) { return create_vector(4, 4, 4, old); },
           [](Datatype& old) {
             return create_resized(*create_resized(old, -(Count{1} << 62), 1), Count{1} << 62,
                                   Count{1} << 62);
           },
           [](Datatype& old) {
             const Count place[] = {(Count{1} << 62) + (Count{1} << 61) + (Count{1} << 60)};
             return create_hindexed_block(3, place, old);
           },
           [](Datatype& old) {  // farther apart than a distance can say
             const Count places[] = {std::numeric_limits<Count>::min(), 16};
             return create_hindexed_block(1, places, *create_resized(old, 0, 1));
           },
           [](Datatype&) {
             const Count places[] = {std::numeric_limits<Count>::min(), 16, 32};
             return create_hindexed_block(1, places, predefined(Basic::byte));
           },
       }) {
    try {
      make(*huge);
      FAIL("made");
    } catch (const Error& error) {
      CHECK(error.error_class() == ErrorClass::value_too_large);
    }
  }
}

TEST_CASE("places beyond 2^31 bytes and 2^31 elements")
{
  const Reserved memory(6 * giga);
  char* const base = memory.data();
  // Three ints, 2.5 GiB apart.
  const auto far = create_hvector(3, 1, 5 * giga / 2, predefined(Basic::int_), Width::large);
  const int values[3] = {11, 22, 33};
  REQUIRE(copy(values, 3, predefined(Basic::int_), base, 1, *far) == 12);
  int back[3] = {};
  REQUIRE(pack(base, 1, *far, 0, back, 12) == 12);
  CHECK(back[0] == 11);
  CHECK(back[1] == 22);
  CHECK(back[2] == 33);
  CHECK(*reinterpret_cast<int*>(base + 5 * giga / 2) == 22);

  // 2^32 bytes as pairs with gaps: read a few in the middle.
  const auto pairs = create_resized(*create_contiguous(2, predefined(Basic::byte)), 0, 3);
  base[3 * giga] = 7;  // element giga, byte 0
  char portion[4] = {};
  REQUIRE(pack(base, 3 * giga / 2, *pairs, 2 * giga - 2, portion, 4) == 4);
  CHECK(portion[0] == 0);
  CHECK(portion[2] == 7);
  CHECK(pack(base, 3 * giga / 2, *pairs, 3 * giga - 1, portion, 4) == 1);
}

TEST_CASE("more than 2^31 blocks through one place")
{
  // Stride 0: every element is the same byte, so only the count is large.
  const auto same = create_hvector(3 * giga, 1, 0, predefined(Basic::byte), Width::large);
  CHECK(same->size() == 3 * giga);
  CHECK(same->true_extent() == 1);
  const Reserved value(4096);
  value.data()[0] = 'x';
  char out[5] = {};
  REQUIRE(pack(value.data(), 1, *same, 3 * giga - 3, out, 5) == 3);
  CHECK(out[2] == 'x');
  CHECK(out[3] == 0);
  CHECK(get_elements(3 * giga - 1, *same) == 3 * giga - 1);
}

TEST_CASE("a type knows how many elements a buffer may have")
{
  constexpr Count largest = std::numeric_limits<Count>::max();
  const auto fits = [](const Datatype& type) {
    Count bytes = 0, last = 0, end = 0;
    const Count most = type.most_elements();
    return !__builtin_mul_overflow(most, type.size(), &bytes) &&
           !__builtin_mul_overflow(most, type.extent(), &last) &&
           !__builtin_add_overflow(last, type.true_lb() + type.true_extent(), &end);
  };
  const auto far_apart = create_resized(predefined(Basic::byte), -5, Count{1} << 50);
  const auto backwards = create_resized(predefined(Basic::byte), 0, -(Count{1} << 50));
  for (const Datatype* type : {&predefined(Basic::byte), &predefined(Basic::double_), far_apart.get(),
                               backwards.get()})
    CHECK(fits(*type));
  // Room for all that memory can hold, and at least one element of any type.
  CHECK(predefined(Basic::double_).most_elements() > Count{1} << 58);
  CHECK(far_apart->most_elements() == backwards->most_elements());
  CHECK(create_resized(predefined(Basic::byte), 0, largest)->most_elements() == 1);
  CHECK(create_contiguous(0, predefined(Basic::byte))->most_elements() == largest);
  CHECK(create_dup(*far_apart)->most_elements() == far_apart->most_elements());
}
