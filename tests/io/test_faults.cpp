// What the system does wrong, and what the calls make of it.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <numeric>

#include "io/world.hpp"
#include "support/text.hpp"

using namespace ranklet;
using ranklet::test::Directory;
using ranklet::test::on_ranks;

namespace {

std::atomic<Count> room;      // bytes that can be written yet
std::atomic<int> calls_made;  // to vary what happens

ssize_t write_short(int descriptor, const iovec* vectors, int count, off_t at)
{
  if (calls_made++ % 3 == 0) {
    errno = EINTR;
    return -1;
  }
  const iovec part{vectors[0].iov_base, std::min<std::size_t>(vectors[0].iov_len, 7)};
  return count > 0 ? ::pwritev(descriptor, &part, 1, at) : 0;
}

ssize_t read_short(int descriptor, const iovec* vectors, int, off_t at)
{
  if (calls_made++ % 3 == 0) {
    errno = EINTR;
    return -1;
  }
  const iovec part{vectors[0].iov_base, std::min<std::size_t>(vectors[0].iov_len, 5)};
  return ::preadv(descriptor, &part, 1, at);
}

ssize_t write_until_full(int descriptor, const iovec* vectors, int, off_t at)
{
  const Count wanted = std::min<Count>(room, static_cast<Count>(vectors[0].iov_len));
  if (wanted <= 0) {
    errno = ENOSPC;
    return -1;
  }
  room -= wanted;
  const iovec part{vectors[0].iov_base, static_cast<std::size_t>(wanted)};
  return ::pwritev(descriptor, &part, 1, at);
}

std::atomic<int> cores_of_reader;

ssize_t read_noting_cores(int descriptor, const iovec* vectors, int count, off_t at)
{
  cpu_set_t cores;
  cores_of_reader = ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : -1;
  return ::preadv(descriptor, vectors, count, at);
}

ssize_t read_error(int, const iovec*, int, off_t)
{
  errno = EIO;
  return -1;
}

io::SystemCalls with(ssize_t (*read)(int, const iovec*, int, off_t),
                     ssize_t (*write)(int, const iovec*, int, off_t))
{
  io::SystemCalls calls = ranklet::test::unmapped_calls();
  calls.preadv = read;
  calls.pwritev = write;
  return calls;
}

template <class Body>
ErrorClass class_thrown(Body&& body)
{
  try {
    body();
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

const io::RepresentationPtr native_form = io::Representations().find("native");

// Each rank sees every ranks-th block of `block` bytes.
void see_blocks(File& file, Count block)
{
  Datatype& byte = predefined(Basic::byte);
  const Communicator& comm = file.comm();
  const Ref<Datatype> data = create_contiguous(block, byte);
  const Ref<Datatype> type = create_resized(*data, 0, block * comm.size());
  io::set_view(file, comm.rank() * block, byte, *type, native_form, nullptr);
}

io::AccessCall whole(io::Direction direction, std::vector<char>& data)
{
  return {direction,
          io::Pointer::given,
          0,
          data.data(),
          static_cast<Count>(data.size()),
          &predefined(Basic::byte)};
}

}  // namespace

TEST_CASE("short and interrupted transfers are continued")
{
  const Directory directory;
  const io::SystemCalls calls = with(&read_short, &write_short);
  std::atomic<int> wrong = 0;
  on_ranks(
      3,
      [&](Communicator& world) {
        File& file = *io::open(world, directory.file("short"), io::rdwr | io::create, nullptr);
        see_blocks(file, 300);
        std::vector<char> data(2000), back(2000);
        std::iota(data.begin(), data.end(), static_cast<char>(world.rank()));
        Status status;
        io::access_all(file, whole(io::Direction::write, data), &status);
        if (status.bytes != 2000) ++wrong;
        io::access(file, whole(io::Direction::read, back), &status);
        if (status.bytes != 2000 || back != data) ++wrong;
        io::close(file);
      },
      &calls);
  CHECK(wrong == 0);
}

TEST_CASE("where space ends midway, those whose data is lost learn it, with the bytes that were written")
{
  const Directory directory;
  const io::SystemCalls calls = with(io::native_calls.preadv, &write_until_full);
  std::atomic<int> lost = 0;
  std::atomic<Count> written = 0;
  room = 5000;
  on_ranks(
      4,
      [&](Communicator& world) {
        File& file = *io::open(world, directory.file("full"), io::rdwr | io::create, nullptr);
        see_blocks(file, 1000);
        std::vector<char> data(2000, 'x');
        Status status;
        const ErrorClass error =
            class_thrown([&] { io::access_all(file, whole(io::Direction::write, data), &status); });
        if (error == ErrorClass::no_space) ++lost;
        written += status.bytes;
        if ((error == ErrorClass::success) != (status.bytes == 2000)) lost += 100;
        // The same without waiting.
        io::FileRequest* const request = io::start_all(file, whole(io::Direction::write, data));
        wait(world.self(), *request);
        if (request->reap(&status) != ErrorClass::no_space || status.bytes != 0) lost += 100;
        request->release();
        io::close(file);
      },
      &calls);
  // Four blocks of the first tile and one of the second fit.
  CHECK(lost == 3);
  CHECK(written == 5000);
}

TEST_CASE("an error of the device is one of MPI_ERR_IO, and files stay usable")
{
  const Directory directory;
  const io::SystemCalls calls = with(&read_error, io::native_calls.pwritev);
  std::atomic<int> right = 0;
  on_ranks(
      2,
      [&](Communicator& world) {
        File& file = *io::open(world, directory.file("broken"), io::rdwr | io::create, nullptr);
        std::vector<char> data(100);
        if (class_thrown([&] { io::access_all(file, whole(io::Direction::read, data), nullptr); }) ==
            ErrorClass::io)
          ++right;
        if (class_thrown([&] { io::access(file, whole(io::Direction::read, data), nullptr); }) ==
            ErrorClass::io)
          ++right;
        Status status;
        io::access_all(file, whole(io::Direction::write, data), &status);
        if (status.bytes == 100) ++right;
        io::close(file);
      },
      &calls);
  CHECK(right == 6);
}

TEST_CASE("opening fails for all with the right class")
{
  const Directory directory;
  std::atomic<int> wrong = 0;
  on_ranks(3, [&](Communicator& world) {
    const auto fails = [&](const std::string& name, int amode, ErrorClass expected) {
      if (class_thrown([&] { io::open(world, name, amode, nullptr); }) != expected) ++wrong;
    };
    const bool first = world.rank() == 0;
    fails(directory.file("none"), io::rdwr, ErrorClass::no_such_file);
    fails(directory.file("none/none"), io::rdwr | io::create, ErrorClass::no_such_file);
    fails(directory.file("."), io::rdonly, ErrorClass::bad_file);
    fails(directory.file("a"), io::rdonly | io::create, ErrorClass::amode);
    fails(directory.file("a"), io::rdonly | io::rdwr, ErrorClass::amode);
    fails(directory.file("a"), io::rdwr | io::sequential, ErrorClass::amode);
    fails(directory.file("a"), first ? io::rdwr | io::create : io::wronly | io::create, ErrorClass::not_same);
    File& file = *io::open(world, directory.file("a"), io::rdwr | io::create | io::excl, nullptr);
    fails(directory.file("a"), io::rdwr | io::create | io::excl, ErrorClass::file_exists);
    fails(directory.file(first ? "a" : "b"), io::rdwr, ErrorClass::not_same);
    if (class_thrown([&] { io::remove(world.self().job, directory.file("a")); }) != ErrorClass::file_in_use)
      ++wrong;
    io::close(file);
    File& gone = *io::open(world, directory.file("a"), io::rdwr | io::delete_on_close, nullptr);
    std::vector<char> data(10);
    if (class_thrown([&] { io::set_size(gone, first ? 10 : 11); }) != ErrorClass::not_same) ++wrong;
    io::close(gone);
    if (std::filesystem::exists(directory.file("a"))) ++wrong;
    coll::barrier(world);
    File& log = *io::open(world, directory.file("log"), io::wronly | io::create | io::append, nullptr);
    if (class_thrown([&] { io::access_all(log, whole(io::Direction::read, data), nullptr); }) !=
        ErrorClass::access)
      ++wrong;
    io::access_all(log,
                   {io::Direction::write, io::Pointer::shared, 0, data.data(), 10, &predefined(Basic::byte)},
                   nullptr);
    io::close(log);
    File& more = *io::open(world, directory.file("log"), io::wronly | io::append, nullptr);
    if (more.pointer.value() != 30 || more.shared().shared_pointer.value() != 30) ++wrong;
    io::close(more);
  });
  CHECK(wrong == 0);
}

TEST_CASE("a member in error leaves the others their collective access")
{
  const Directory directory;
  std::atomic<int> right = 0;
  on_ranks(3, [&](Communicator& world) {
    File& file = *io::open(world, directory.file("one"), io::rdwr | io::create, nullptr);
    see_blocks(file, 10);
    std::vector<char> data(10, static_cast<char>('a' + world.rank()));
    io::AccessCall call = whole(io::Direction::write, data);
    if (world.rank() == 1) call.offset = -1;
    const ErrorClass error = class_thrown([&] { io::access_all(file, call, nullptr); });
    if (error == (world.rank() == 1 ? ErrorClass::arg : ErrorClass::success)) ++right;
    // And different calls are an error of all.
    const bool reads = world.rank() == 2;
    call = whole(reads ? io::Direction::read : io::Direction::write, data);
    if (class_thrown([&] { io::access_all(file, call, nullptr); }) == ErrorClass::not_same) ++right;
    io::close(file);
  });
  CHECK(right == 6);
  CHECK(ranklet::test::contents_of(directory.file("one")) ==
        std::string(10, 'a') + std::string(10, '\0') + std::string(10, 'c'));
}

TEST_CASE("all members read what there is, where they read the same and the file ends")
{
  const Directory directory;
  std::atomic<int> wrong = 0;
  on_ranks(3, [&](Communicator& world) {
    File& file = *io::open(world, directory.file("end"), io::rdwr | io::create, nullptr);
    std::vector<char> data(5, 'x'), back(10, '-');
    io::access_all(file, whole(io::Direction::write, data), nullptr);
    Status status;
    io::access_all(file, whole(io::Direction::read, back), &status);
    if (status.bytes != 5 || std::string(back.begin(), back.end()) != "xxxxx-----") ++wrong;
    // In pieces: some before the end, some behind it.
    see_blocks(file, 1);
    back.assign(10, '-');
    io::access_all(file, whole(io::Direction::read, back), &status);
    const auto expected = static_cast<Count>(world.rank() < 2 ? 2 : 1);
    if (status.bytes != expected) ++wrong;
    const Ref<Datatype> overlapping =
        create_hindexed(std::vector<Count>{2, 2}, std::vector<Count>{0, 1}, predefined(Basic::byte));
    const auto error = class_thrown(
        [&] { io::set_view(file, 0, predefined(Basic::byte), *overlapping, native_form, nullptr); });
    if (error != ErrorClass::io) ++wrong;
    io::close(file);
  });
  CHECK(wrong == 0);
}

TEST_CASE("accesses in atomic mode are not torn")
{
  const Directory directory;
  std::atomic<int> torn = 0;
  on_ranks(4, [&](Communicator& world) {
    File& file = *io::open(world, directory.file("atomic"), io::rdwr | io::create, nullptr);
    io::set_atomicity(file, true);
    // All the same bytes, in pieces.
    Datatype& byte = predefined(Basic::byte);
    const Ref<Datatype> piece = create_resized(byte, 0, 3);
    io::set_view(file, 0, byte, *piece, native_form, nullptr);
    std::vector<char> data(600), back(600);
    for (int i = 0; i < (sanitized ? 10 : 60); ++i) {
      std::fill(data.begin(), data.end(), static_cast<char>('a' + (i + world.rank()) % 26));
      if (i % 3 == 2)
        io::access_all(file, whole(io::Direction::write, data), nullptr);
      else
        io::access(file, whole(io::Direction::write, data), nullptr);
      Status status;
      io::access(file, whole(io::Direction::read, back), &status);
      if (status.bytes != 600 || back != std::vector<char>(600, back[0])) ++torn;
    }
    io::close(file);
  });
  CHECK(torn == 0);
}

TEST_CASE("many nonblocking accesses complete without their rank")
{
  const Directory directory;
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    File& file = *io::open(world, directory.file("many"), io::rdwr | io::create, nullptr);
    see_blocks(file, 1000);
    constexpr int n = sanitized ? 100 : 2000;
    std::vector<char> data(40'000, static_cast<char>('a' + world.rank())), back(40'000);
    Datatype& byte = predefined(Basic::byte);
    std::vector<io::FileRequest*> requests;
    for (int i = 0; i < n; ++i) {
      const auto size = i % 7 == 0 ? 40'000 : 100;
      requests.push_back(
          io::start(file, {io::Direction::write, io::Pointer::given, i % 50, data.data(), size, &byte}));
    }
    for (io::FileRequest* request : requests) {
      // By the job's threads alone: nothing is advanced here.
      wait_until(world.self(), world.self().parking, [&] { return request->complete(); });
      Status status;
      if (request->reap(&status) != ErrorClass::success || (status.bytes != 40'000 && status.bytes != 100))
        ++wrong;
      request->release();
    }
    io::FileRequest* const read = io::start(file, whole(io::Direction::read, back));
    wait_until(world.self(), world.self().parking, [&] { return read->complete(); });
    Status status;
    if (read->reap(&status) != ErrorClass::success || back != data) ++wrong;
    read->release();
    io::close(file);
  });
  CHECK(wrong == 0);
}

TEST_CASE("I/O threads run on the cores of all ranks, where each rank is pinned to one")
{
  cpu_set_t all;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  const int n = std::min(CPU_COUNT(&all), 4);
  const Directory directory;
  const io::SystemCalls calls = with(&read_noting_cores, io::native_calls.pwritev);
  on_ranks(
      n,
      [&](Communicator& world) {
        int skipped = 0;
        for (int core = 0; core < CPU_SETSIZE; ++core) {
          if (!CPU_ISSET(core, &all) || skipped++ < world.rank()) continue;
          cpu_set_t one;
          CPU_ZERO(&one);
          CPU_SET(core, &one);
          ::sched_setaffinity(0, sizeof one, &one);
          break;
        }
        File& file = *io::open(world, directory.file("cores"), io::rdwr | io::create, nullptr);
        std::vector<char> data(100);
        if (world.rank() == 0) {
          io::FileRequest* const request = io::start(file, whole(io::Direction::read, data));
          wait_until(world.self(), world.self().parking, [&] { return request->complete(); });
          Status status;
          request->reap(&status);
          request->release();
        }
        io::close(file);
      },
      &calls);
  CHECK(cores_of_reader == n);
}

TEST_CASE("data is converted on the way")
{
  const Directory directory;
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    io::Representations known;
    // Each int takes 8 bytes in the file, and is negated there.
    const Rank* const owner = &world.self();
    known.add("twice", {.read =
                            [&](void* user, const Datatype&, Count count, void* from, Count) {
                              if (current_rank() != owner) ++wrong;
                              for (Count i = 0; i < count; ++i)
                                static_cast<int*>(user)[i] =
                                    static_cast<int>(-static_cast<std::int64_t*>(from)[i]);
                            },
                        .write =
                            [&](void* user, const Datatype&, Count count, void* to, Count) {
                              if (current_rank() != owner) ++wrong;
                              for (Count i = 0; i < count; ++i)
                                static_cast<std::int64_t*>(to)[i] = -static_cast<int*>(user)[i];
                            },
                        .extent = [](const Datatype&) -> Count { return 8; }});
    CHECK_THROWS_AS(known.add("twice", {}), Error);
    CHECK_THROWS_AS(known.find("thrice"), Error);
    for (const std::string name : {"external32", "twice"}) {
      File& file = *io::open(world, directory.file(name), io::rdwr | io::create, nullptr);
      Datatype& word = predefined(Basic::int_);
      // Every second int, in turns.
      const Ref<Datatype> block = create_vector(1, 1, 1, word);
      const Count width = name == "twice" ? 8 : 4;
      const Ref<Datatype> type = create_resized(*block, 0, 2 * width);
      io::set_view(file, world.rank() * width, word, *type, known.find(name), nullptr);
      std::vector<int> data(100), back;
      std::iota(data.begin(), data.end(), 1000 * world.rank());
      const auto call = [&](io::Direction direction, std::vector<int>& buffer) {
        return io::AccessCall{direction, io::Pointer::given, 0, buffer.data(), 100, &word};
      };
      for (int way = 0; way < 4; ++way) {
        back.assign(100, -1);
        Status status;
        if (way < 2) {
          (way == 0 ? io::access : io::access_all)(file, call(io::Direction::write, data), &status);
          coll::barrier(world);
          (way == 0 ? io::access : io::access_all)(file, call(io::Direction::read, back), &status);
        } else {
          for (const auto direction : {io::Direction::write, io::Direction::read}) {
            io::FileRequest* const request = (way == 2 ? io::start : io::start_all)(
                file, call(direction, direction == io::Direction::write ? data : back));
            wait(world.self(), *request);
            request->reap(&status);
            request->release();
          }
        }
        if (back != data || status.bytes != 400) ++wrong;
      }
      if (file.shared().size() != 200 * width) ++wrong;
      io::close(file);
    }
  });
  CHECK(wrong == 0);
  const std::string bytes = ranklet::test::contents_of(directory.file("external32"));
  CHECK(bytes.substr(4, 4) == std::string("\0\0\x03\xe8", 4));
}
