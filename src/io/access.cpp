#include "io/access.hpp"

#include "io/split.hpp"
#include "ranks/wait.hpp"

namespace ranklet::io {

namespace {

// Up to this size a write without a wait is made at once: handing it on takes longer.
constexpr Count small_write = 32 * 1024;

void finish(Work& work, const FileShared& shared, Status* status)
{
  work.convert();
  if (status) {
    const int error = status->error;
    work.fill(*status);
    status->error = error;
  }
  if (work.failed()) throw Error(work.error(shared.path));
}

// Prepares a member's part in a collective access. An error in it is for this member alone: the others go on
// without it.
std::optional<Error> prepare(File& file, const AccessCall& call, Work& work)
{
  try {
    work.prepare(file, call, call.pointer == Pointer::shared);
    return {};
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorClass::no_mem, "no memory left");
  }
}

struct Joined {
  std::shared_ptr<Gathering> gathering;
  bool last;
};

Joined join(File& file, const Kind& kind, Work* work, FileRequest* request)
{
  const auto number = static_cast<std::uint64_t>(file.collectives.add(1));
  auto gathering = Gathering::find(file.shared_part(), number, file.comm().size());
  if (request) request->activate(gathering);
  const bool last = gathering->join(file.comm().rank(), kind, work, request);
  if (last) gathering->plan(number);
  return {std::move(gathering), last};
}

}  // namespace

void access(File& file, const AccessCall& call, Status* status)
{
  Work work(file, call);
  work.prepare(file, call, false);
  work.run(file.shared());
  finish(work, file.shared(), status);
}

FileRequest* start(File& file, const AccessCall& call)
{
  auto request = std::make_unique<FileRequest>(file, call);
  request->work().prepare(file, call, false);
  request->activate();
  const Count bytes = request->work().access.bytes;
  FileRequest* const started = request.release();
  if (bytes == 0 || (bytes <= small_write && call.direction == Direction::write)) {
    started->work().run(file.shared());
    started->settle();
    return started;
  }
  file.shared().files.submit(file.self(), [started, shared = file.shared_part()] {
    started->work().run(*shared);
    started->settle();
  });
  return started;
}

void access_all(File& file, const AccessCall& call, Status* status)
{
  check_no_split(file);
  Work work(file, call);
  const std::optional<Error> refusal = prepare(file, call, work);
  const Kind kind{call.direction, call.pointer == Pointer::shared, true};
  const Joined joined = join(file, kind, refusal ? nullptr : &work, nullptr);
  Gathering& gathering = *joined.gathering;
  wait_until(
      file.self(), gathering.parking,
      [&] {
        gathering.help();
        return gathering.complete();
      },
      [&] { return gathering.complete() || gathering.has_work(); });
  if (refusal) throw Error(*refusal);
  finish(work, file.shared(), status);
}

FileRequest* start_all(File& file, const AccessCall& call)
{
  check_no_split(file);
  auto request = std::make_unique<FileRequest>(file, call);
  const std::optional<Error> refusal = prepare(file, call, request->work());
  const Kind kind{call.direction, call.pointer == Pointer::shared, false};
  FileRequest* const started = refusal ? nullptr : request.release();
  const Joined joined = join(file, kind, started ? &started->work() : nullptr, started);
  if (joined.last) joined.gathering->start_threads(file.self());
  if (refusal) throw Error(*refusal);
  return started;
}

void begin(File& file, const AccessCall& call)
{
  const Split split = call.pointer == Pointer::given ? Split::at_all
                      : call.pointer == Pointer::own ? Split::all
                                                     : Split::ordered;
  std::unique_ptr<FileRequest> request(start_all(file, call));
  file.open_split = {split, call.direction, call.buffer, std::move(request)};
}

void end(File& file, Split split, Direction direction, const void* buffer, Status* status)
{
  if (!file.open_split) fail(ErrorClass::request, "no split collective access of the file has begun");
  File::OpenSplit& open = *file.open_split;
  if (open.split != split || open.direction != direction)
    fail(ErrorClass::request, "another split collective access of the file has begun");
  if (open.buffer != buffer)
    fail(ErrorClass::buffer, "the split collective access has begun with another buffer");
  wait(file.self(), *open.request);
  const std::unique_ptr<FileRequest> request = std::move(open.request);
  file.open_split.reset();
  Status result;
  const ErrorClass error = request->reap(&result);
  if (status) {
    result.error = status->error;
    *status = result;
  }
  if (error != ErrorClass::success) throw request->failure(error);
}

}  // namespace ranklet::io
