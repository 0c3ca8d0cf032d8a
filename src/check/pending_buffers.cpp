#include "check/pending_buffers.hpp"

#include <algorithm>
#include <cstring>

#include "datatype/runs.hpp"

namespace ranklet::check {

namespace {

constexpr std::size_t most_runs = 4096;  // that are compared one by one

template <class F>
void for_each_range(const BufferUse& use, F&& f)
{
  for_each_run(const_cast<void*>(use.address), use.count, *use.type, [&](const char* at, Count bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    f(Range{begin, begin + static_cast<std::uintptr_t>(bytes)});
  });
}

// In order; empty if there are too many.
std::vector<Range> ranges(const BufferUse& use)
{
  std::vector<Range> found;
  // Every run has a byte at least.
  if (!use.type->is_contiguous() && use.count > static_cast<Count>(most_runs)) return found;
  bool too_many = false;
  for_each_range(use, [&](Range range) {
    if (found.size() < most_runs)
      found.push_back(range);
    else
      too_many = true;
  });
  if (too_many) found.clear();
  std::ranges::sort(found, {}, &Range::begin);
  return found;
}

std::uint64_t mix(std::uint64_t sum, std::uint64_t word)
{
  sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
  return sum ^ sum >> 29;
}

std::uint64_t add_bytes(std::uint64_t sum, const char* at, std::size_t bytes)
{
  // Four sums, so that their multiplications overlap; only the first one goes on from the data before.
  std::uint64_t sums[4] = {sum, 1, 2, 3};
  for (; bytes >= 32; at += 32, bytes -= 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, 32);
    for (int i = 0; i < 4; ++i) sums[i] = mix(sums[i], words[i]);
  }
  sum = mix(mix(mix(sums[0], sums[1]), sums[2]), sums[3]);
  for (; bytes > 0; bytes -= std::min<std::size_t>(bytes, 8), at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, std::min<std::size_t>(bytes, 8));
    sum = mix(sum, word);
  }
  return sum;
}

}  // namespace

Range hull(const BufferUse& use) noexcept
{
  const auto base = reinterpret_cast<std::uintptr_t>(use.address);
  const Range none{base, base};
  if (use.count <= 0 || use.type->size() == 0) return none;
  Count last, low, high;
  if (__builtin_mul_overflow(use.count - 1, use.type->extent(), &last) ||
      __builtin_add_overflow(use.type->true_lb(), std::min<Count>(0, last), &low) ||
      __builtin_add_overflow(use.type->true_lb() + use.type->true_extent(), std::max<Count>(0, last), &high))
    return none;
  const Range range{base + static_cast<std::uintptr_t>(low), base + static_cast<std::uintptr_t>(high)};
  return range.empty() ? none : range;
}

bool overlap(const BufferUse& one, const BufferUse& other)
{
  const Range a = hull(one), b = hull(other);
  if (a.empty() || b.empty() || a.begin >= b.end || b.begin >= a.end) return false;
  const std::vector<Range> left = ranges(one), right = ranges(other);
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].begin < right[j].end && right[j].begin < left[i].end) return true;
    if (left[i].end <= right[j].end)
      ++i;
    else
      ++j;
  }
  return false;
}

bool overlaps_itself(const BufferUse& use)
{
  if (use.type->is_contiguous()) return false;
  BufferUse two = use;
  two.count = std::min<Count>(use.count, 2);
  const std::vector<Range> all = ranges(two);
  return std::ranges::adjacent_find(
             all, [](const Range& one, const Range& next) { return next.begin < one.end; }) != all.end();
}

std::uint64_t checksum(const BufferUse& use)
{
  std::uint64_t sum = 0;
  for_each_run(const_cast<void*>(use.address), use.count, *use.type, [&](const char* at, Count bytes) {
    sum = add_bytes(sum, at, static_cast<std::size_t>(bytes));
  });
  return sum;
}

std::uint64_t checksum(std::span<const char> bytes)
{
  return add_bytes(0, bytes.data(), bytes.size());
}

std::vector<const BufferUse*> PendingBuffers::conflicts(const BufferUse& use) const
{
  std::vector<const BufferUse*> found;
  if (entries_.empty()) return found;
  entries_.for_each_near(hull(use), [&](const Entry& entry) {
    if ((use.written || entry.use.written) && overlap(use, entry.use)) found.push_back(&entry.use);
  });
  return found;
}

void PendingBuffers::add(const void* owner, BufferUse use)
{
  const Range range = hull(use);
  if (range.empty()) return;
  const std::uint64_t sum = use.written ? 0 : checksum(use);
  owners_.emplace(owner, entries_.add(range, Entry{std::move(use), sum}));
}

std::vector<BufferUse> PendingBuffers::remove(const void* owner, const void* address)
{
  std::vector<BufferUse> changed;
  auto [place, last] = owners_.equal_range(owner);
  while (place != last) {
    Entry& entry = *place->second;
    if (address && entry.use.address != address) {
      ++place;
      continue;
    }
    if (!entry.use.written && checksum(entry.use) != entry.sum) changed.push_back(std::move(entry.use));
    entries_.erase(place->second);
    place = owners_.erase(place);
  }
  return changed;
}

}  // namespace ranklet::check
