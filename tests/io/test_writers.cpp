// Several ranks write pieces of one file, each for itself: who takes whose, and what each is told.
#include <doctest/doctest.h>

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <random>
#include <thread>

#include "io/layout.hpp"
#include "io/world.hpp"
#include "support/text.hpp"

using namespace ranklet;
using ranklet::test::Block;
using ranklet::test::bytes_of;
using ranklet::test::Directory;
using ranklet::test::Layout;
using ranklet::test::on_ranks;
using ranklet::test::type_of;
using reference::Random;

namespace {

const io::RepresentationPtr as_in_memory = io::Representations().find("native");

char value_of(int rank, Count position, int round)
{
  return static_cast<char>(1 + (position * 7 + rank * 31 + round * 113) % 250);
}

io::AccessCall write_of(std::vector<char>& data, Count at, Count bytes)
{
  return {io::Direction::write, io::Pointer::given, at, data.data(), bytes, &predefined(Basic::byte)};
}

std::mutex disagreements_lock;
int disagreements = 0;

void agree(bool holds, const char* what, int rank)
{
  if (holds) return;
  const std::lock_guard guard(disagreements_lock);
  if (disagreements++ < 5) MESSAGE("rank " << rank << ": " << std::string(what));
}

// In accesses of random length, some without waiting; the buffers are used again at once.
void write_pieces(File& file, Random& random, Count size, int rank, int round)
{
  std::vector<char> data;
  for (Count at = 0; at < size;) {
    const Count bytes = random(0, 3) == 0 ? size - at : std::min(size - at, random(1, 4000));
    data.resize(static_cast<std::size_t>(bytes));
    for (Count i = 0; i < bytes; ++i) data[static_cast<std::size_t>(i)] = value_of(rank, at + i, round);
    Status status;
    if (random(0, 3) == 0) {
      io::FileRequest* const request = io::start(file, write_of(data, at, bytes));
      wait(file.self(), *request);
      agree(request->reap(&status) == ErrorClass::success, "the error of a nonblocking write", rank);
      request->release();
    } else {
      io::access(file, write_of(data, at, bytes), &status);
    }
    agree(status.bytes == bytes, "the count", rank);
    std::fill(data.begin(), data.end(), '\0');
    at += bytes;
  }
}

void run_layout(std::uint64_t seed, int ranks, const std::string& path)
{
  Random common(seed);
  const Layout layout(common, ranks);
  const int rounds = 3;
  on_ranks(ranks, [&](Communicator& world) {
    const int me = world.rank();
    Random random(seed * 64 + static_cast<std::uint64_t>(me) + 1);
    File* const files[] = {io::open(world, path, io::rdwr | io::create, nullptr),
                           io::open(world, path, io::wronly, nullptr)};
    const std::vector<Block> mine = layout.of(me);
    const Ref<Datatype> type = type_of(mine);
    if (me == 0) {
      std::vector<char> nobodys(static_cast<std::size_t>(layout.size), '\0');
      io::access(*files[0], write_of(nobodys, 0, layout.size), nullptr);
    }
    Random modes(seed + 1);
    for (File* file : files) {
      io::set_view(*file, 0, predefined(Basic::byte), *type, as_in_memory, nullptr);
      io::set_atomicity(*file, modes(0, 3) == 0);
    }
    coll::barrier(world);
    for (int round = 0; round < rounds; ++round)
      write_pieces(*files[random(0, 1)], random, bytes_of(mine), me, round);
    for (File* file : files) io::close(*file);
  });
  const std::string found = ranklet::test::contents_of(path);
  std::string expected(static_cast<std::size_t>(layout.size), '\0');
  for (int rank = 0; rank < ranks; ++rank) {
    Count position = 0;
    for (const Block& piece : layout.of(rank))
      for (Count i = 0; i < piece.bytes; ++i)
        expected[static_cast<std::size_t>(piece.at + i)] = value_of(rank, position++, rounds - 1);
  }
  agree(found == expected, "the contents of the file", -1);
}

// Places that cannot be written.
std::vector<Block> broken;
bool fails_as_a_whole;  // a call with such a place moves nothing, else what is before it

ssize_t write_around(int descriptor, const iovec* vectors, int count, off_t at)
{
  Count bytes = 0;
  for (int i = 0; i < count; ++i) bytes += static_cast<Count>(vectors[i].iov_len);
  Count good = bytes;
  for (const Block& piece : broken)
    if (piece.at < at + bytes && at < piece.at + piece.bytes)
      good = std::min(good, std::max<Count>(piece.at - at, 0));
  if (good == bytes) return ::pwritev(descriptor, vectors, count, at);
  if (good == 0 || (fails_as_a_whole && count > 1)) {
    errno = EFBIG;
    return -1;
  }
  const iovec part{vectors[0].iov_base, std::min(vectors[0].iov_len, static_cast<std::size_t>(good))};
  return ::pwritev(descriptor, &part, 1, at);
}

void run_broken_layout(std::uint64_t seed, int ranks, const std::string& path)
{
  Random common(seed);
  const Layout layout(common, ranks);
  broken.clear();
  fails_as_a_whole = common(0, 1) == 1;
  for (Count i = common(1, 3); i > 0; --i) {
    const Block& piece =
        layout.pieces[static_cast<std::size_t>(common(0, static_cast<Count>(layout.pieces.size()) - 1))];
    const Count inside = fails_as_a_whole ? 0 : common(0, piece.bytes - 1);
    broken.push_back({piece.at + inside, piece.bytes - inside, piece.owner});
  }
  io::SystemCalls calls = ranklet::test::unmapped_calls();
  calls.pwritev = &write_around;
  on_ranks(
      ranks,
      [&](Communicator& world) {
        const int me = world.rank();
        File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
        const std::vector<Block> mine = layout.of(me);
        const Ref<Datatype> type = type_of(mine);
        io::set_view(file, 0, predefined(Basic::byte), *type, as_in_memory, nullptr);
        std::vector<char> data(static_cast<std::size_t>(bytes_of(mine)));
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = value_of(me, static_cast<Count>(i), 0);
        // Up to the first byte that cannot be written.
        Count expected = 0;
        for (const Block& piece : mine) {
          Count good = piece.bytes;
          for (const Block& bad : broken)
            if (bad.at >= piece.at && bad.at < piece.at + piece.bytes)
              good = std::min(good, bad.at - piece.at);
          expected += good;
          if (good < piece.bytes) break;
        }
        const bool whole = expected == static_cast<Count>(data.size());
        coll::barrier(world);
        Status status;
        ErrorClass error = ErrorClass::success;
        try {
          io::access(file, write_of(data, 0, static_cast<Count>(data.size())), &status);
        } catch (const Error& thrown) {
          error = thrown.error_class();
        }
        agree((error == ErrorClass::success) == whole, "whether there is an error", me);
        agree(status.bytes == expected, "the count before an error", me);
        io::close(file);
      },
      &calls);
  // All that others have written is there.
  const std::string found = ranklet::test::contents_of(path);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<Block> mine = layout.of(rank);
    bool whole = true;
    for (const Block& bad : broken) whole = whole && bad.owner != rank;
    if (!whole) continue;
    Count position = 0;
    for (const Block& piece : mine)
      for (Count i = 0; i < piece.bytes; ++i, ++position) {
        const auto place = static_cast<std::size_t>(piece.at + i);
        if (place < found.size() && found[place] == value_of(rank, position, 0)) continue;
        agree(false, "data of one who has no error", rank);
        return;
      }
  }
}

std::atomic<int> calls_begun;
std::atomic<io::Writers*> writers;
std::atomic<Job*> job_to_cancel;  // null: none
constexpr int meeting = 4;

// The first call ends when all have come, or another one writes without waiting for it.
ssize_t write_when_all_are_there(int descriptor, const iovec* vectors, int count, off_t at)
{
  if (calls_begun++ == 0) {
    while (writers.load()->present() < meeting && calls_begun == 1) std::this_thread::yield();
    if (job_to_cancel) job_to_cancel.load()->cancel();
  }
  return ::pwritev(descriptor, vectors, count, at);
}

}  // namespace

TEST_CASE("pieces of writers at the same time are where they belong, and nothing else")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  const Directory directory;
  for (int i = 0; i < (sanitized ? 24 : 100); ++i) {
    run_layout(seed + static_cast<std::uint64_t>(i), 2 + i % 7, directory.file(std::to_string(i)));
    INFO("case ", i);
    REQUIRE(disagreements == 0);
  }
}

TEST_CASE("an error is that of the writer whose piece it concerns, with its count")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  const Directory directory;
  for (int i = 0; i < (sanitized ? 24 : 100); ++i) {
    run_broken_layout(seed + static_cast<std::uint64_t>(i), 2 + i % 7, directory.file(std::to_string(i)));
    INFO("case ", i);
    REQUIRE(disagreements == 0);
  }
}

namespace {

// All ranks write blocks in turn, and have come before the second call.
std::string write_at_once(const std::string& path, bool cancels)
{
  io::SystemCalls calls = ranklet::test::unmapped_calls();
  calls.pwritev = &write_when_all_are_there;
  calls_begun = 0;
  job_to_cancel = nullptr;
  constexpr Count block = 100, blocks = 500;
  on_ranks(
      meeting,
      [&](Communicator& world) {
        const int me = world.rank();
        File& file = *io::open(world, path, io::rdwr | io::create, nullptr);
        if (me == 0) {
          writers = &file.shared().inode->writers;
          if (cancels) job_to_cancel = &world.self().job;
        }
        const Ref<Datatype> data = create_contiguous(block, predefined(Basic::byte));
        const Ref<Datatype> type = create_resized(*data, 0, block * meeting);
        io::set_view(file, me * block, predefined(Basic::byte), *type, as_in_memory, nullptr);
        coll::barrier(world);
        while (me != 0 && calls_begun == 0) std::this_thread::yield();
        std::vector<char> bytes(block * blocks, static_cast<char>('a' + me));
        Status status;
        try {
          io::access(file, write_of(bytes, 0, block * blocks), &status);
          agree(status.bytes == block * blocks, "the count", me);
          io::close(file);
        } catch (const JobCancelled&) {
          delete &file;  // as the handles of a cancelled job are
          throw;
        }
      },
      &calls);
  std::string expected;
  for (Count i = 0; i < blocks; ++i)
    for (int rank = 0; rank < meeting; ++rank) expected.append(block, static_cast<char>('a' + rank));
  return expected;
}

}  // namespace

TEST_CASE("what comes while another one writes goes with it, in few calls")
{
  const Directory directory;
  const std::string path = directory.file("few");
  const std::string expected = write_at_once(path, false);
  CHECK(ranklet::test::contents_of(path) == expected);
  CHECK(disagreements == 0);
  // Not one for each of the 2000 blocks.
  CHECK(calls_begun < 20);
}

TEST_CASE("in a cancelled job nobody waits for ever, and what has been begun is written")
{
  const Directory directory;
  const std::string path = directory.file("cancelled");
  const std::string expected = write_at_once(path, true);
  CHECK(ranklet::test::contents_of(path) == expected);
  CHECK(disagreements == 0);
}
