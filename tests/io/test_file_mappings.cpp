// Small pieces that are stored into mappings of the file: when, what is in the file then, and what becomes of
// faults.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>

#include "base/signal_mask.hpp"
#include "io/layout.hpp"
#include "io/world.hpp"
#include "support/text.hpp"

using namespace ranklet;
using ranklet::test::Block;
using ranklet::test::Directory;
using ranklet::test::Layout;
using ranklet::test::on_ranks;
using ranklet::test::stores_recovered;
using reference::Random;

namespace {

const io::RepresentationPtr unconverted = io::Representations().find("native");

// What the system was asked for.
std::atomic<Count> bytes_written;
std::atomic<int> calls_of_one_byte, maps, unmaps;

ssize_t write_counting(int descriptor, const iovec* vectors, int count, off_t at)
{
  const ssize_t written = ::pwritev(descriptor, vectors, count, at);
  if (written > 0) bytes_written += written;
  if (written == 1) ++calls_of_one_byte;
  return written;
}

// The directory of temporary files may be any file system's.
int known_file_system(int, struct statfs* found)
{
  *found = {};
  found->f_type = TMPFS_MAGIC;
  return 0;
}

void* map_counting(int descriptor, off_t at, std::size_t bytes)
{
  ++maps;
  return io::native_calls.map(descriptor, at, bytes);
}

int unmap_counting(void* memory, std::size_t bytes)
{
  ++unmaps;
  return ::munmap(memory, bytes);
}

io::SystemCalls counting_calls()
{
  io::SystemCalls calls = io::native_calls;
  calls.pwritev = &write_counting;
  calls.fstatfs = &known_file_system;
  calls.map = &map_counting;
  calls.unmap = &unmap_counting;
  bytes_written = 0;
  calls_of_one_byte = maps = unmaps = 0;
  return calls;
}

io::AccessCall writing(std::vector<char>& data, Count at = 0)
{
  return {io::Direction::write,    io::Pointer::given, at, data.data(), static_cast<Count>(data.size()),
          &predefined(Basic::byte)};
}

void see_type(File& file, Count displacement, const Datatype& type)
{
  io::set_view(file, displacement, predefined(Basic::byte), const_cast<Datatype&>(type), unconverted,
               nullptr);
}

// Each rank sees every ranks-th block.
void see_every(File& file, Count block, Count displacement = 0)
{
  const Communicator& comm = file.comm();
  const Ref<Datatype> data = create_contiguous(block, predefined(Basic::byte));
  see_type(file, displacement + comm.rank() * block, *create_resized(*data, 0, block * comm.size()));
}

char byte_of(int rank, Count position)
{
  return static_cast<char>(1 + (position * 7 + rank * 31) % 250);
}

std::vector<char> bytes_of_rank(int rank, Count bytes)
{
  std::vector<char> data(static_cast<std::size_t>(bytes));
  for (Count i = 0; i < bytes; ++i) data[static_cast<std::size_t>(i)] = byte_of(rank, i);
  return data;
}

std::string in_turns(int ranks, Count block, Count bytes_of_each)
{
  std::string all;
  for (Count at = 0; at < bytes_of_each; at += block)
    for (int rank = 0; rank < ranks; ++rank)
      for (Count i = 0; i < block; ++i) all += byte_of(rank, at + i);
  return all;
}

void make_file(const std::string& path, Count bytes)
{
  std::ofstream(path, std::ios::binary) << std::string(static_cast<std::size_t>(bytes), '-');
}

// Without printing all of it.
bool holds(const std::string& path, const std::string& expected)
{
  return ranklet::test::contents_of(path) == expected;
}

// What a write by blocks in turns tells its rank.
struct Told {
  ErrorClass error = ErrorClass::success;
  Count bytes = 0;
};

Told write_told(File& file, const io::AccessCall& call, bool waits)
{
  Told told;
  Status status;
  if (waits) {
    try {
      io::access(file, call, &status);
    } catch (const Error& error) {
      told.error = error.error_class();
    }
  } else {
    io::FileRequest* const request = io::start(file, call);
    wait(file.self(), *request);
    told.error = request->reap(&status);
    request->release();
  }
  told.bytes = status.bytes;
  return told;
}

std::atomic<int> wrong;

void expect_all(const Told& told, Count bytes)
{
  if (told.error != ErrorClass::success || told.bytes != bytes) ++wrong;
}

// So that what follows is written again: what its rank sees is in the file, but nothing of what it will
// write.
void write_first(File& file, Count bytes)
{
  std::vector<char> data(static_cast<std::size_t>(bytes), '\0');
  expect_all(write_told(file, writing(data), true), bytes);
  coll::barrier(file.comm());
}

}  // namespace

TEST_CASE("small pieces that are written again are stored, and one byte of each access is written")
{
  const Directory directory;
  const std::string path = directory.file("stored");
  for (const bool atomic : {false, true}) {
    for (const bool waits : {true, false}) {
      const io::SystemCalls calls = counting_calls();
      wrong = 0;
      on_ranks(
          4,
          [&](Communicator& world) {
            File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
            io::set_atomicity(file, atomic);
            see_every(file, 512);
            write_first(file, 65536);
            std::vector<char> data = bytes_of_rank(world.rank(), 65536);
            expect_all(write_told(file, writing(data), waits), 65536);
            // Read by calls.
            std::vector<char> back(data.size());
            io::AccessCall reading = writing(back);
            reading.direction = io::Direction::read;
            Status status;
            io::access(file, reading, &status);
            if (status.bytes != 65536 || back != data) ++wrong;
            io::sync(file);
            io::close(file);
          },
          &calls);
      CHECK(wrong == 0);
      CHECK(holds(path, in_turns(4, 512, 65536)));
      CHECK(bytes_written == 4 * 65536 + 4);
      CHECK(calls_of_one_byte == 4);
      CHECK(maps == 1);
      CHECK(unmaps == 1);
    }
  }
}

TEST_CASE("large pieces and few ones are written, and so are those of files that cannot be mapped")
{
  const Directory directory;
  const std::string path = directory.file("written");
  const auto stored = [&](Count block, Count bytes, int amode, const io::SystemCalls& calls) {
    make_file(path, Count{1} << 20);
    bytes_written = 0;
    on_ranks(
        2,
        [&](Communicator& world) {
          File& file = *io::open(world, path, amode, nullptr);
          see_every(file, block);
          std::vector<char> data = bytes_of_rank(world.rank(), bytes);
          for (int i = 0; i < 3; ++i) {
            io::access(file, writing(data), nullptr);
            coll::barrier(world);
          }
          io::close(file);
        },
        &calls);
    const std::string found = ranklet::test::contents_of(path), expected = in_turns(2, block, bytes);
    const bool right = found.compare(0, expected.size(), expected) == 0;
    CHECK(right);
    CHECK(found.size() == 1u << 20);
    return 6 * bytes - bytes_written;
  };
  CHECK(stored(2048, 65536, io::rdwr, counting_calls()) == 4 * 65535);
  CHECK(stored(1, 1000, io::rdwr, counting_calls()) == 4 * 999);
  CHECK(stored(8192, 65536, io::rdwr, counting_calls()) == 0);
  CHECK(stored(512, 1024, io::rdwr, counting_calls()) == 0);
  CHECK(maps == 0);
  CHECK(stored(512, 65536, io::wronly, counting_calls()) == 0);
  CHECK(maps == 0);
  io::SystemCalls calls = counting_calls();
  calls.fstatfs = [](int, struct statfs* found) {
    *found = {};
    found->f_type = NFS_SUPER_MAGIC;
    return 0;
  };
  CHECK(stored(512, 65536, io::rdwr, calls) == 0);
  CHECK(maps == 0);
  // It is tried once, by each of those who come together.
  calls = counting_calls();
  calls.map = [](int, off_t, std::size_t) -> void* {
    ++maps;
    errno = ENODEV;
    return nullptr;
  };
  CHECK(stored(512, 65536, io::rdwr, calls) == 0);
  CHECK(maps >= 1);
  CHECK(maps <= 2);
  calls = counting_calls();
  calls.mincore = [](void*, std::size_t, unsigned char*) {
    errno = ENOSYS;
    return -1;
  };
  CHECK(stored(512, 65536, io::rdwr, calls) == 0);
  CHECK(maps == 1);
  CHECK(unmaps == 1);
}

TEST_CASE("random pieces of many ranks are stored where they belong, and nothing else")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  const Directory directory;
  Count bytes_of_all = 0;
  constexpr int rounds = 5;
  const io::SystemCalls calls = counting_calls();
  for (int i = 0; i < (sanitized ? 24 : 100); ++i) {
    INFO("case ", i);
    const int ranks = 2 + i % 7;
    const std::string path = directory.file(std::to_string(i));
    Random common(seed + static_cast<std::uint64_t>(i));
    const Layout layout(common, ranks);
    std::string expected(static_cast<std::size_t>(common(0, layout.size)), '-');
    make_file(path, static_cast<Count>(expected.size()));
    wrong = 0;
    on_ranks(
        ranks,
        [&](Communicator& world) {
          const int me = world.rank();
          Random random(seed * 64 + static_cast<std::uint64_t>(me));
          File& file = *io::open(world, path, io::rdwr, nullptr);
          const std::vector<Block> mine = layout.of(me);
          see_type(file, 0, *type_of(mine));
          for (int round = 0; round < rounds; ++round) {
            const std::vector<char> all = bytes_of_rank(me + 97 * (rounds - 1 - round), test::bytes_of(mine));
            const auto end = static_cast<Count>(all.size());
            for (Count at = 0; at < end;) {
              const Count bytes = random(0, 1) == 0 ? end - at : std::min(end - at, random(1, 9000));
              std::vector<char> data(all.begin() + at, all.begin() + at + bytes);
              expect_all(write_told(file, writing(data, at), random(0, 2) > 0), bytes);
              at += bytes;
            }
            coll::barrier(world);
          }
          io::close(file);
        },
        &calls);
    CHECK(wrong == 0);
    std::vector<Count> positions(static_cast<std::size_t>(ranks));
    for (const Block& piece : layout.pieces) {
      if (piece.owner < 0) continue;
      const auto end = static_cast<std::size_t>(piece.at + piece.bytes);
      if (expected.size() < end) expected.resize(end, '\0');
      Count& position = positions[static_cast<std::size_t>(piece.owner)];
      for (Count k = 0; k < piece.bytes; ++k)
        expected[static_cast<std::size_t>(piece.at + k)] = byte_of(piece.owner, position++);
      bytes_of_all += rounds * piece.bytes;
    }
    REQUIRE(holds(path, expected));
  }
  CHECK(bytes_written < bytes_of_all * 8 / 10);
  CHECK(maps == unmaps);
}

TEST_CASE("what is not in memory any more is written, and stored the next time")
{
  const Directory directory;
  const std::string path = directory.file("holes");
  const io::SystemCalls calls = counting_calls();
  std::vector<Count> written;
  on_ranks(
      1,
      [&](Communicator& world) {
        File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
        const Ref<Datatype> data = create_contiguous(100, predefined(Basic::byte));
        see_type(file, 8000, *create_resized(*data, 0, 200));
        std::vector<char> bytes = bytes_of_rank(0, 10'000);
        // Half of the bytes that the pieces span: in the third round all of them have been written once.
        for (int round = 0; round < 5; ++round) {
          if (round == 3) {
            io::set_size(file, 0);
            io::set_size(file, 100'000);
          }
          bytes_written = 0;
          io::access(file, writing(bytes), nullptr);
          written.push_back(bytes_written);
        }
        io::close(file);
      },
      &calls);
  CHECK(written == std::vector<Count>{10'000, 10'000, 1, 10'000, 1});
  CHECK(ranklet::test::contents_of(path).size() == 100'000);
}

TEST_CASE("writers that lengthen a file at once, inside its last page, leave it as long as calls would")
{
  const Directory directory;
  const std::string path = directory.file("longer");
  for (int i = 0; i < 30; ++i) {
    make_file(path, 100);
    const io::SystemCalls calls = counting_calls();
    wrong = 0;
    on_ranks(
        2,
        [&](Communicator& world) {
          File& file = *io::open(world, path, io::rdwr, nullptr);
          see_every(file, 50, 100);
          write_first(file, 3900);
          io::set_size(file, 5000);
          std::vector<char> data = bytes_of_rank(world.rank(), 3900);
          expect_all(write_told(file, writing(data), true), 3900);
          io::close(file);
        },
        &calls);
    CHECK(wrong == 0);
    CHECK(holds(path, std::string(100, '-') + in_turns(2, 50, 3900)));
    CHECK(calls_of_one_byte == 2);
    CHECK(bytes_written == 2 * 3900 + 2);
  }
}

namespace {

std::atomic<bool> cuts;

// Behind the byte before the stores: what they are for is gone. At the end of a page; what is stored behind
// the end inside a page is lost without a fault, as if it had been written before the cut.
ssize_t write_and_cut(int descriptor, const iovec* vectors, int count, off_t at)
{
  const ssize_t written = write_counting(descriptor, vectors, count, at);
  if (written == 1 && cuts.exchange(false) && ::ftruncate(descriptor, 2 * 4096) != 0) ++wrong;
  return written;
}

}  // namespace

TEST_CASE("where the file is cut off before a store, the rest is written")
{
  const Directory directory;
  const std::string path = directory.file("cut");
  for (const bool waits : {true, false}) {
    for (const bool blocks : {false, true}) {
      io::SystemCalls calls = counting_calls();
      calls.pwritev = &write_and_cut;
      wrong = 0;
      cuts = true;
      const int before = stores_recovered;
      on_ranks(
          2,
          [&](Communicator& world) {
            File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
            see_every(file, 500);
            write_first(file, 80'000);
            std::vector<char> data = bytes_of_rank(world.rank(), 80'000);
            std::optional<SignalsBlocked> blocked;
            if (blocks) blocked.emplace();
            // The other one must not lengthen it again.
            if (world.rank() == 0) {
              const Told told = write_told(file, writing(data), waits);
              if (told.error != ErrorClass::success || told.bytes != 80'000) ++wrong;
            }
            coll::barrier(world);
            if (world.rank() == 1) {
              const Told told = write_told(file, writing(data), waits);
              if (told.error != ErrorClass::success || told.bytes != 80'000) ++wrong;
            }
            io::close(file);
          },
          &calls);
      CHECK(wrong == 0);
      CHECK(stores_recovered == before + 1);
      CHECK(holds(path, in_turns(2, 500, 80'000)));
    }
  }
}

TEST_CASE("where a full device has no page for a store, the call that follows tells so, with the count")
{
  const Directory directory;
  const std::string place = directory.file("small");
  std::filesystem::create_directory(place);
  if (::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=400k") != 0) {
    MESSAGE("no file system can be mounted here");
    return;
  }
  io::SystemCalls calls = counting_calls();
  calls.mincore = [](void*, std::size_t bytes, unsigned char* pages) {
    std::memset(pages, 1, (bytes + 4095) / 4096);  // else holes are left to calls
    return 0;
  };
  wrong = 0;
  Told told;
  const int before = stores_recovered;
  std::string found;
  on_ranks(
      1,
      [&](Communicator& world) {
        File& file = *io::open(world, place + "/full", io::rdwr | io::create, nullptr);
        const Ref<Datatype> data = create_contiguous(500, predefined(Basic::byte));
        see_type(file, 0, *create_resized(*data, 0, 1000));
        for (int i = 0; i < 2; ++i) write_first(file, 100'000);
        // Holes for all of it, and room for a part.
        io::set_size(file, 0);
        io::set_size(file, 200'000);
        make_file(place + "/other", 84 * 4096);
        std::vector<char> bytes = bytes_of_rank(0, 100'000);
        told = write_told(file, writing(bytes), true);
        found = ranklet::test::contents_of(place + "/full");
        io::close(file);
      },
      &calls);
  ::umount(place.c_str());
  CHECK(wrong == 0);
  CHECK(told.error == ErrorClass::no_space);
  CHECK(stores_recovered == before + 1);
  CHECK(told.bytes > 20'000);
  CHECK(told.bytes < 40'000);
  REQUIRE(found.size() == 200'000);
  for (Count i = 0; i < told.bytes; ++i)
    REQUIRE(found[static_cast<std::size_t>(i / 500 * 1000 + i % 500)] == byte_of(0, i));
}

TEST_CASE("of a large file only so much is mapped at a time")
{
  const Directory directory;
  const std::string path = directory.file("large");
  io::SystemCalls calls = counting_calls();
  static std::atomic<int> most;
  most = 0;
  calls.map = [](int descriptor, off_t at, std::size_t size) {
    const int now = ++maps - unmaps;
    if (now > most) most = now;
    return io::native_calls.map(descriptor, at, size);
  };
  wrong = 0;
  constexpr Count bytes = 65'536;
  constexpr int places = 12, rounds = 10;
  on_ranks(
      4,
      [&](Communicator& world) {
        File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
        std::vector<char> data(bytes), back(bytes);
        const Ref<Datatype> block = create_contiguous(1000, predefined(Basic::byte));
        const Ref<Datatype> type = create_resized(*block, 0, 4000);
        for (int i = 0; i < places * rounds; ++i) {
          // Across the border of two regions, some in the middle of a piece. Each place for some rounds.
          const Count border = (i / rounds * 2 + 1) * io::FileMappings::region_size;
          see_type(file, border - 30'500 + world.rank() * 1000, *type);
          std::fill(data.begin(), data.end(), static_cast<char>(1 + i % 100));
          expect_all(write_told(file, writing(data), i % 3 > 0), bytes);
          io::AccessCall reading = writing(back);
          reading.direction = io::Direction::read;
          io::access(file, reading, nullptr);
          if (back != data) ++wrong;
          coll::barrier(world);
        }
        io::close(file);
      },
      &calls);
  CHECK(wrong == 0);
  CHECK(most == static_cast<int>(io::FileMappings::most_regions));
  CHECK(maps > most);
  CHECK(unmaps == maps);
  CHECK(bytes_written < places * rounds * 4 * bytes / 2);
}
