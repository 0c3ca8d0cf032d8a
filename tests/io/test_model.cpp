// All ways to reach the data of files, on random views and types, beside a file that is an array of bytes.
#include <doctest/doctest.h>

#include <cstring>
#include <mutex>
#include <random>

#include "datatype/copy.hpp"
#include "datatype/cursor.hpp"
#include "datatype/random_type.hpp"
#include "io/world.hpp"
#include "support/text.hpp"

using namespace ranklet;
using ranklet::test::Directory;
using ranklet::test::on_ranks;
using reference::Both;
using reference::Random;

namespace {

struct Run {
  Count at, bytes;
};

// A view as its runs in one tile.
struct PlainView {
  Count disp = 0;
  Count extent = 0;
  std::vector<Run> runs;

  Count size() const
  {
    Count bytes = 0;
    for (const Run& run : runs) bytes += run.bytes;
    return bytes;
  }
  Count place_of(Count position) const
  {
    Count rest = position % size();
    for (const Run& run : runs) {
      if (rest < run.bytes) return disp + position / size() * extent + run.at + rest;
      rest -= run.bytes;
    }
    return -1;
  }
};

struct TestView {
  PlainView plain;
  Count etype = 1;
  Ref<Datatype> etype_type, filetype;
};

// In the part of the tile that is the rank's own, so that ranks' data is apart.
TestView random_view(Random& common, Random& random, int rank, int ranks)
{
  TestView view;
  view.etype = Count{1} << common(0, 2);
  const Count zone = view.etype * common(1, 200);
  view.plain.disp = common(0, 40);
  view.plain.extent = zone * ranks;
  Datatype& byte = predefined(Basic::byte);
  view.etype_type = create_contiguous(view.etype, byte);
  const Count units = zone / view.etype;
  const Count begin = rank * zone;
  Ref<Datatype> data;
  switch (random(0, 3)) {
    case 0: {  // the whole zone
      view.plain.runs = {{begin, zone}};
      data = create_hindexed_block(units, std::vector<Count>{begin}, *view.etype_type);
      break;
    }
    case 1: {  // equal blocks at equal distances
      const Count stride = random(1, units), block = random(1, stride);
      const Count count = (units - block) / stride + 1;
      const Ref<Datatype> vector = create_vector(count, block, stride, *view.etype_type);
      data = create_hindexed_block(1, std::vector<Count>{begin}, *vector);
      for (Count i = 0; i < count; ++i)
        view.plain.runs.push_back({begin + i * stride * view.etype, block * view.etype});
      break;
    }
    case 2: {  // blocks within blocks
      const Count outer = random(1, units), inner = random(1, outer), block = random(1, inner);
      const Count n = (outer - block) / inner + 1, m = (units - ((n - 1) * inner + block)) / outer + 1;
      const Ref<Datatype> small = create_vector(n, block, inner, *view.etype_type);
      const Ref<Datatype> large = create_hvector(m, 1, outer * view.etype, *small);
      data = create_struct(std::vector<Count>{1}, std::vector<Count>{begin},
                           std::vector<Datatype*>{large.get()});
      for (Count i = 0; i < m; ++i)
        for (Count k = 0; k < n; ++k)
          view.plain.runs.push_back({begin + (i * outer + k * inner) * view.etype, block * view.etype});
      break;
    }
    default: {  // any blocks
      std::vector<Count> lengths, places;
      for (Count at = random(0, 3); at < units;) {
        const Count length = std::min(random(1, 20), units - at);
        lengths.push_back(length);
        places.push_back(begin + at * view.etype);
        view.plain.runs.push_back({places.back(), length * view.etype});
        at += length + random(0, 30);
      }
      if (lengths.empty()) {
        lengths = {1};
        places = {begin};
        view.plain.runs = {{begin, view.etype}};
      }
      data = create_hindexed(lengths, places, *view.etype_type);
    }
  }
  view.filetype = create_resized(*data, 0, view.plain.extent);
  return view;
}

// Elements in memory; with random bytes, of which those outside the data must not change.
struct Memory {
  Both type;
  Count count = 0;
  Count low = 0;
  std::vector<char> bytes;

  Memory(Random& random, Count etype, bool receives)
  {
    do {
      type = random_type(random, 2);
      if (receives && random(0, 1)) type = random_contiguous(random);
    } while (type.plain.map.empty() || type.plain.map.size() > 200 || type.real->size() % etype != 0 ||
             (receives && overlaps()) || type.plain.true_ub() - type.plain.true_lb() > 20'000);
    count = random(0, 12);
    const Count extent = type.real->extent();
    const Count reach = (count > 0 ? count - 1 : 0) * extent;
    if (receives && (extent < type.real->true_extent())) count = std::min<Count>(count, 1);
    low = type.real->true_lb() + std::min<Count>(0, reach);
    const Count high = type.real->true_lb() + type.real->true_extent() + std::max<Count>(0, reach);
    bytes.resize(static_cast<std::size_t>(high - low));
    for (char& byte : bytes) byte = static_cast<char>(random(0, 255));
  }
  void* address() { return bytes.data() - low; }
  Count size() const { return count * type.real->size(); }
  std::vector<char> packed() const
  {
    std::vector<char> data(static_cast<std::size_t>(size()));
    pack(bytes.data() - low, count, *type.real, 0, data.data(), size());
    return data;
  }

 private:
  static Both random_contiguous(Random& random)
  {
    for (;;) {
      Both type = random_receiver(random, {Basic::int_, Basic::double_, Basic::int_});
      if (!type.plain.map.empty()) return type;
    }
  }
  // As a receive may not have it.
  bool overlaps() const
  {
    std::vector<char> hit(static_cast<std::size_t>(type.real->true_extent()));
    Cursor cursor(*type.real, 1, 0);
    while (cursor.fill()) {
      const Count at = cursor.place() - type.real->true_lb(), n = cursor.left_in_run();
      for (Count i = 0; i < n; ++i)
        if (hit[static_cast<std::size_t>(at + i)]++) return true;
      cursor.use_bytes(n);
    }
    return false;
  }
};

enum class Way { access, start, access_all, start_all, split };

// Makes the call in that way and gives its status.
Status perform(File& file, const io::AccessCall& call, Way way)
{
  Status status;
  const auto finish = [&](io::FileRequest* request) {
    wait(file.self(), *request);
    request->reap(&status);
    request->release();
  };
  switch (way) {
    case Way::access:
      io::access(file, call, &status);
      break;
    case Way::start:
      finish(io::start(file, call));
      break;
    case Way::access_all:
      io::access_all(file, call, &status);
      break;
    case Way::start_all:
      finish(io::start_all(file, call));
      break;
    case Way::split:
      io::begin(file, call);
      io::end(file,
              call.pointer == io::Pointer::given ? io::Split::at_all
              : call.pointer == io::Pointer::own ? io::Split::all
                                                 : io::Split::ordered,
              call.direction, call.buffer, &status);
      break;
  }
  return status;
}

struct Model {
  std::mutex lock;
  std::vector<char> bytes;

  void write(const PlainView& view, Count position, const std::vector<char>& data)
  {
    const std::lock_guard guard(lock);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto place = static_cast<std::size_t>(view.place_of(position + static_cast<Count>(i)));
      if (place >= bytes.size()) bytes.resize(place + 1);
      bytes[place] = data[i];
    }
  }
  // What there is, up to the end of the file.
  std::vector<char> read(const PlainView& view, Count position, Count size) const
  {
    std::vector<char> data;
    for (Count i = 0; i < size; ++i) {
      const auto place = static_cast<std::size_t>(view.place_of(position + i));
      if (place >= bytes.size()) break;
      data.push_back(bytes[place]);
    }
    return data;
  }
};

std::mutex report_lock;
int failures = 0;

void expect(bool holds, const char* what, int rank, int step)
{
  if (holds) return;
  const std::lock_guard guard(report_lock);
  if (failures++ < 5) MESSAGE("rank " << rank << ", step " << step << ": " << what);
}

void run_case(std::uint64_t seed, int ranks, const std::string& path)
{
  Model model;
  on_ranks(ranks, [&](Communicator& world) {
    const int me = world.rank();
    Random common(seed), random(seed * 64 + static_cast<std::uint64_t>(me) + 1);
    // Two handles of one file.
    File* const files[] = {io::open(world, path, io::rdwr | io::create, nullptr),
                           io::open(world, path, io::rdwr, nullptr)};
    const io::RepresentationPtr native = io::Representations().find("native");
    TestView views[2];
    for (int step = 0; step < 12; ++step) {
      const auto which = static_cast<std::size_t>(common(0, 1));
      File& file = *files[which];
      TestView& view = views[which];
      if (!view.filetype || common(0, 3) == 0) {
        view = random_view(common, random, me, ranks);
        io::set_view(file, view.plain.disp, *view.etype_type, *view.filetype, native, nullptr);
      }
      if (common(0, 5) == 0) io::set_atomicity(file, common(0, 1) == 1);
      const bool writes = common(0, 1) == 1;
      const Way way = static_cast<Way>(common(0, 4));
      const bool given = common(0, 1) == 1;
      Memory memory(random, view.etype, !writes);
      if (random(0, 9) == 0) memory.count = 0;
      Count position = random(0, 300);
      if (!given) {
        io::seek(file, position, io::Whence::set);
        expect(io::byte_offset(file, position) == view.plain.place_of(position * view.etype), "byte offset",
               me, step);
      }
      const io::AccessCall call{writes ? io::Direction::write : io::Direction::read,
                                given ? io::Pointer::given : io::Pointer::own,
                                given ? position : 0,
                                memory.address(),
                                memory.count,
                                memory.type.real.get()};
      const std::vector<char> before = memory.packed();
      const std::vector<char> untouched = memory.bytes;
      std::vector<char> expected;
      if (writes)
        model.write(view.plain, position * view.etype, before);
      else
        expected = model.read(view.plain, position * view.etype, memory.size());
      const Status status = perform(file, call, way);
      const Count moved = writes ? memory.size() : static_cast<Count>(expected.size());
      expect(status.bytes == moved, writes ? "count of a write" : "count of a read", me, step);
      if (!given) {
        const Count etypes = memory.size() / view.etype;
        expect(file.pointer.value() == position + etypes, "file pointer", me, step);
      }
      if (!writes) {
        // The rest of the buffer is as it was.
        Memory wanted = memory;
        wanted.bytes = untouched;
        unpack(wanted.address(), wanted.count, *wanted.type.real, 0, expected.data(), moved);
        expect(wanted.bytes == memory.bytes, "data of a read", me, step);
      }
      coll::barrier(world);
      if (writes && me == 0) {
        const std::string now = ranklet::test::contents_of(path);
        expect(std::string(model.bytes.begin(), model.bytes.end()) == now, "contents of the file", me, step);
      }
      coll::barrier(world);
    }
    for (File* file : files) io::close(*file);
  });
}

}  // namespace

TEST_CASE("files hold what a model of them holds")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  const Directory directory;
  for (int i = 0; i < (sanitized ? 24 : 120); ++i) {
    run_case(seed + static_cast<std::uint64_t>(i), 1 + i % 8, directory.file(std::to_string(i)));
    INFO("case ", i);
    REQUIRE(failures == 0);
  }
}

TEST_CASE("ordered and shared accesses leave no gap and lose nothing")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  const Directory directory;
  const std::string path = directory.file("shared");
  for (int round = 0; round < (sanitized ? 8 : 40); ++round) {
    const int ranks = 1 + round % 8;
    std::vector<char> ordered;
    on_ranks(ranks, [&](Communicator& world) {
      const auto me = static_cast<std::uint32_t>(world.rank());
      Random random(seed * 64 + static_cast<std::uint64_t>(round * 8) + me);
      File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
      io::set_size(file, 0);
      const io::RepresentationPtr native = io::Representations().find("native");
      Datatype& word = predefined(Basic::uint32);
      io::set_view(file, 8, word, word, native, nullptr);
      // Records: rank, number, length, words that repeat the number.
      Count written = 0;
      for (std::uint32_t i = 0; i < 20; ++i) {
        std::vector<std::uint32_t> record{me, i, static_cast<std::uint32_t>(random(0, 40))};
        record.resize(3 + record[2], i);
        const bool all = i % 2 == 1;
        const Way way = all ? static_cast<Way>(2 + i / 2 % 3) : static_cast<Way>(i / 2 % 2);
        const auto n = static_cast<Count>(record.size());
        perform(file, {io::Direction::write, io::Pointer::shared, 0, record.data(), n, &word}, way);
        written += n;
      }
      Count all = 0;
      coll::allreduce(world, &written, &all, 1, predefined(Basic::int64), predefined(OpKind::sum));
      expect(file.shared().shared_pointer.value() == all, "the shared pointer", world.rank(), round);
      io::seek_shared(file, 0, io::Whence::set);
      // Each record comes once, and those of a rank in its order.
      std::vector<std::uint32_t> words(static_cast<std::size_t>(all));
      Status status;
      io::access(file, {io::Direction::read, io::Pointer::given, 0, words.data(), all, &word}, &status);
      expect(status.bytes == all * 4, "the size", world.rank(), round);
      std::vector<std::uint32_t> next(static_cast<std::size_t>(world.size()));
      std::size_t at = 0;
      std::vector<std::uint32_t> round_order;
      while (at + 3 <= words.size()) {
        const std::uint32_t rank = words[at], number = words[at + 1], length = words[at + 2];
        if (rank >= next.size() || next[rank]++ != number || length > 40) {
          expect(false, "the order of records", world.rank(), round);
          break;
        }
        // Those of an ordered write follow each other by ranks.
        if (number % 2 == 1) {
          if (rank != 0 && !round_order.empty())
            expect(round_order.back() + 1 == rank, "the order of ranks", world.rank(), round);
          round_order.push_back(rank);
        }
        for (std::uint32_t i = 0; i < length; ++i)
          expect(words[at + 3 + i] == number, "a record", world.rank(), round);
        at += 3 + length;
      }
      // Read in order: each takes its part.
      std::uint32_t mine = ~0u;
      perform(file, {io::Direction::read, io::Pointer::shared, 0, &mine, 1, &word}, Way::access_all);
      expect(mine == words[me], "an ordered read", world.rank(), round);
      io::close(file);
    });
    REQUIRE(failures == 0);
  }
}
