#include "io/file_mappings.hpp"

#include <linux/magic.h>

#include <algorithm>

#include "base/invariant.hpp"
#include "base/sanitized.hpp"
#include "base/sanitizer_runtime.hpp"
#include "base/signal_mask.hpp"
#include "io/batch.hpp"
#include "io/guarded_store.hpp"

namespace ranklet::io {

namespace {

constexpr Count page_size = 4096;
constexpr Count pages_at_once = 64;  // to ask about: where the first ones are absent, little is lost

// Measured (docs/io.md). Bytes of a piece up to which stores are faster, also the first ones to a page.
constexpr Count largest_stored = 2048;
// Fewer pieces take no less by what an access costs before the first of them.
constexpr Count least_pieces = 4;
// Bytes of the file for each piece up to which it costs little to ask what is in memory.
constexpr Count widest_step = 64 * 1024;
// With all regions mapped another one takes the place of one of them when so many bytes were to go elsewhere:
// to give a mapping up and to fault another one in takes as long as some hundred calls.
constexpr Count worth_a_mapping = FileMappings::region_size / 16;

Count place_of(const Portion& portion, Count position)
{
  return portion.access->view->place_of(portion.access->begin + position);
}

// Whether it has pieces enough, small ones and near each other; judged by the first one.
bool pays(Portion portion)
{
  if (portion.from >= portion.to) return false;
  MovedPortion part(portion);
  if (!part.advance() || part.pieces.bytes > largest_stored) return false;
  const Count pieces = (portion.to - portion.from) / part.pieces.bytes;
  return pieces >= least_pieces &&
         (place_of(portion, portion.to - 1) - part.pieces.at) / pieces <= widest_step;
}

bool write_last_byte(const Medium& medium, const Portion& portion)
{
  Portion last{portion.access, portion.to - 1, portion.to};
  MovedPortion part(last);
  if (!part.advance()) return false;
  int error = 0;
  iovec vector{part.pieces.memory, 1};
  return move_all(medium, Direction::write, &vector, 1, 1, part.pieces.at, &error) == 1;
}

}  // namespace

// A mapped region that stays meanwhile; or none, where calls are better.
class FileMappings::Use {
 public:
  Use(FileMappings& all, int descriptor, const Stretch& stretch)
      : all_(all), region_(all.acquire(descriptor, stretch))
  {
  }
  ~Use()
  {
    if (region_) all_.release(*region_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  const Region* region() const noexcept { return region_; }

  // Returns the position up to which it went well.
  Count store(Portion portion) const
  {
    MovedPortion part(portion);
    while (part.advance()) {
      const Pieces& piece = part.pieces;
      const Count place = piece.at - region_->begin;
      invariant([&] { return place >= 0 && place + piece.bytes <= region_size; },
                "a piece is stored inside its region");
      if (!io::store(region_->memory + place, piece.memory, static_cast<std::size_t>(piece.bytes))) break;
    }
    return portion.from + part.pieces.position;
  }

 private:
  FileMappings& all_;
  Region* const region_;
};

bool FileMappings::are_right_for(const SystemCalls& calls, int descriptor)
{
  // The tools' runtimes look at the buffers of calls, and would miss those of stores.
  if (!sanitized && allocations_are_watched()) return false;
  struct statfs found;
  if (calls.fstatfs(descriptor, &found) != 0) return false;
  switch (static_cast<unsigned long>(found.f_type)) {
    case TMPFS_MAGIC:
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
}

FileMappings::~FileMappings()
{
  for (const Region& each : regions_) {
    invariant([&] { return each.users == 0; }, "a mapping stays where it is while it has users (1)");
    if (each.memory) calls_.unmap(each.memory, region_size);
  }
}

// Null: there is no room for another one.
FileMappings::Region* FileMappings::find(const Stretch& stretch)
{
  const Count begin = stretch.from / region_size * region_size;
  Region* room = nullptr;
  for (Region& each : regions_) {
    if (each.begin == begin) return &each;
    if (each.users == 0 && (!room || each.last_use < room->last_use)) room = &each;
  }
  if (!room) return nullptr;
  if (room->memory) {
    missed_ += stretch.bytes;
    if (missed_ < worth_a_mapping) return nullptr;
    missed_ = 0;
    calls_.unmap(room->memory, region_size);
  }
  *room = Region{};
  room->begin = begin;
  room->from = stretch.from;
  room->to = stretch.to;
  return room;
}

// Notes that a stretch is written. Null: by calls.
FileMappings::Region* FileMappings::acquire(int descriptor, const Stretch& stretch)
{
  const Holder guard(lock_);
  Region* const region = find(stretch);
  if (!region) return nullptr;
  region->from = std::min(region->from, stretch.from);
  region->to = std::max(region->to, stretch.to);
  region->last_use = ++uses_;
  const bool again = region->written >= region->to - region->from;
  region->written += stretch.bytes;
  if (!again) return nullptr;
  if (!region->memory)
    region->memory = static_cast<char*>(calls_.map(descriptor, region->begin, region_size));
  if (!region->memory) {
    useless_.set();
    return nullptr;
  }
  ++region->users;
  return region;
}

void FileMappings::release(Region& region)
{
  const Holder guard(lock_);
  invariant([&] { return region.users > 0; }, "who lets go of a region is one of its users (1)");
  --region.users;
}

// Whether all of it is in the page cache.
bool FileMappings::is_cached(const Region& region, const Stretch& stretch)
{
  for (Count at = stretch.from / page_size * page_size; at < stretch.to; at += pages_at_once * page_size) {
    unsigned char pages[pages_at_once];
    const Count count = std::min(pages_at_once, (stretch.to - at + page_size - 1) / page_size);
    if (calls_.mincore(region.memory + (at - region.begin), static_cast<std::size_t>(count * page_size),
                       pages) != 0) {
      useless_.set();
      return false;
    }
    if (!std::all_of(pages, pages + count, [](unsigned char page) { return (page & 1) != 0; })) return false;
  }
  return true;
}

Count FileMappings::store(int descriptor, const Portion& portion)
{
  const View& view = *portion.access->view;
  if (useless_.is_set() || !view.is_disjoint() || !pays(portion)) return portion.from;
  const BusErrorsTaken taken;
  const Count end = place_of(portion, portion.to - 1) + 1;
  Count stored = portion.from;
  for (Portion next = portion; next.from < portion.to; next.from = next.to) {
    const Count at = place_of(next, next.from);
    const Count reach = std::min(end, (at / region_size + 1) * region_size);
    next.to = std::min(portion.to, view.data_before(reach) - portion.access->begin);
    const Stretch stretch{at, reach, next.to - next.from};
    // Where calls have to go on, what lies behind is noted only.
    const Use use(*this, descriptor, stretch);
    if (stored != next.from || !use.region() || !is_cached(*use.region(), stretch) || !pays(next) ||
        !write_last_byte({&calls_, descriptor}, next))
      continue;
    stored = use.store(next);
  }
  return stored;
}

}  // namespace ranklet::io
