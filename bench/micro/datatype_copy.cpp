// How fast data of derived types moves, beside memcpy of the same amount. Prints one line per type: pack,
// unpack and typed-to-typed copy in GB of data per second, and memcpy's figure.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "datatype/copy.hpp"

namespace {

using namespace ranklet;

// The best of several rounds, in GB/s.
template <typename F>
double rate(Count bytes, F&& f)
{
  double best = 0;
  for (int round = 0; round < 7; ++round) {
    const int repeats = static_cast<int>(std::max<Count>(1, (Count{32} << 20) / bytes));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) f();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(bytes) * repeats / time.count() / 1e9);
  }
  return best;
}

void measure(const char* what, const Datatype& type, Count count)
{
  const Count bytes = count * type.size();
  const auto span = static_cast<std::size_t>(count * type.extent() + type.true_extent());
  std::vector<char> source(span, 'a');
  std::vector<char> target(span, 'b');
  std::vector<char> packed(static_cast<std::size_t>(bytes));
  // Half a page off: some processors copy ten times slower between places at nearly the same offset in a
  // page.
  constexpr std::size_t apart = 2048;
  std::vector<char> plain(static_cast<std::size_t>(bytes) + apart, 'c');

  const double memcpy_rate =
      rate(bytes, [&] { std::memcpy(plain.data() + apart, packed.data(), static_cast<std::size_t>(bytes)); });
  const double pack_rate = rate(bytes, [&] { pack(source.data(), count, type, 0, packed.data(), bytes); });
  const double unpack_rate =
      rate(bytes, [&] { unpack(target.data(), count, type, 0, packed.data(), bytes); });
  const double copy_rate = rate(bytes, [&] { copy(source.data(), count, type, target.data(), count, type); });
  // A check that the data moved at all.
  if (std::count(packed.begin(), packed.end(), 'a') != bytes) {
    std::fprintf(stderr, "%s: wrong data\n", what);
    std::exit(1);
  }
  std::printf("%-34s %8lld KiB  pack %6.2f  unpack %6.2f  copy %6.2f  memcpy %6.2f GB/s\n", what,
              static_cast<long long>(bytes / 1024), pack_rate, unpack_rate, copy_rate, memcpy_rate);
}

}  // namespace

int main()
{
  Datatype& number = predefined(Basic::double_);
  for (const Count n : {Count{1024}, Count{128} * 1024}) {
    measure("contiguous doubles", number, n);
    measure("column of doubles, stride 8", *create_vector(n, 1, 8, number), 1);
    measure("column of ints, stride 2", *create_vector(2 * n, 1, 2, predefined(Basic::int_)), 1);
    measure("blocks of 16 bytes, stride 64", *create_vector(n / 2, 2, 8, number), 1);
    measure("blocks of 1 KiB, stride 2 KiB", *create_vector(n / 128, 128, 256, number), 1);
    std::vector<Count> places;
    for (Count i = 0; i < n; ++i) places.push_back(2 * i + i % 2);
    measure("list of doubles", *create_indexed_block(1, places, number), 1);
    const Count lengths[] = {1, 1};
    const Count offsets[] = {0, 8};
    Datatype* const types[] = {&number, &predefined(Basic::int_)};
    measure("records {double, int}", *create_struct(lengths, offsets, types), n);
    const Count side = n == 1024 ? 16 : 64;
    const Count sizes[] = {2 * side, 2 * side, 2 * side};
    const Count subsizes[] = {side, side, side};
    const Count starts[] = {side / 2, side / 2, side / 2};
    measure("cube in a cube", *create_subarray(sizes, subsizes, starts, Order::c, number), 1);
  }
}
