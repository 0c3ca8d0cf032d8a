#include "io/manage.hpp"

#include <cerrno>

#include "comm/confer.hpp"
#include "io/split.hpp"
#include "terms/error.hpp"

namespace ranklet::io {

namespace {

// Collective: `act` is done by one member, if all gave equal values; what it throws is thrown at all.
template <class Value, class Act>
void do_once(File& file, const Value& value, const char* what, const std::optional<Error>& refusal, Act&& act)
{
  struct Vote {
    const Value* value;
    const std::optional<Error>* refusal;
  };
  const Vote vote{&value, &refusal};
  comm::confer<char>(file.comm(), vote, [&](std::span<const Vote* const> votes) {
    for (const Vote* each : votes) {
      if (*each->refusal) throw Error(**each->refusal);
      if (*each->value != value) fail(ErrorClass::not_same, "the members gave different %s", what);
    }
    act();
    return std::vector<char>(votes.size());
  });
}

std::optional<Error> refusal_of_size(File& file, Count size)
{
  return refusal_of([&] {
    check_no_split(file);
    if (size < 0) fail(ErrorClass::arg, "the size %lld is negative", static_cast<long long>(size));
    if (file.shared().amode & sequential)
      fail(ErrorClass::unsupported_operation, "the file is open with MPI_MODE_SEQUENTIAL");
    if (file.shared().amode & rdonly) fail(ErrorClass::read_only, "the file is open with MPI_MODE_RDONLY");
  });
}

Count sought(File& file, Count now, Count offset, Whence whence)
{
  Count from = 0;
  switch (whence) {
    case Whence::set:
      break;
    case Whence::current:
      from = now;
      break;
    case Whence::end: {
      // The first etype that begins at the end of the file, or after it.
      const Count etype = std::max<Count>(1, file.view->etype_size());
      from = (file.view->data_before(file.shared().size()) + etype - 1) / etype;
      break;
    }
    default:
      fail(ErrorClass::arg, "whence is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END");
  }
  Count position;
  if (__builtin_add_overflow(from, offset, &position) || position < 0)
    fail(ErrorClass::arg, "the offset %lld leads to a negative position", static_cast<long long>(offset));
  return position;
}

}  // namespace

void close(File& file)
{
  const auto refusal = refusal_of([&] {
    check_no_split(file);
    if (file.outstanding.value() > 0)
      fail(ErrorClass::other, "%lld nonblocking accesses of the file were not completed",
           static_cast<long long>(file.outstanding.value()));
  });
  FileShared& shared = file.shared();
  // After an error the handle stays, for a file that can only be closed once more.
  do_once(file, 0, "files", refusal, [&] {
    shared.mappings.reset();  // of a deleted file nothing is left then
    const int descriptor = std::exchange(shared.descriptor, -1);
    const int closed = descriptor < 0 || shared.files.calls->close(descriptor) == 0 ? 0 : errno;
    const bool deletes = (shared.amode & delete_on_close) != 0;
    const int deleted = deletes && shared.files.calls->unlink(shared.path.c_str()) != 0 ? errno : 0;
    if (closed != 0 && closed != EINTR) fail_with(closed, "closing", shared.path);
    if (deleted != 0) fail_with(deleted, "deleting", shared.path);
    shared.inode.reset();  // not open any more for MPI_File_delete, whenever the others go on
  });
  delete &file;
}

void set_size(File& file, Count size)
{
  FileShared& shared = file.shared();
  do_once(file, size, "sizes", refusal_of_size(file, size), [&] {
    while (shared.files.calls->ftruncate(shared.descriptor, size) != 0)
      if (errno != EINTR) fail_with(errno, "setting the size of", shared.path);
  });
}

void preallocate(File& file, Count size)
{
  FileShared& shared = file.shared();
  do_once(file, size, "sizes", refusal_of_size(file, size), [&] {
    if (size == 0) return;
    int error;
    do error = shared.files.calls->allocate(shared.descriptor, size);
    while (error == EINTR);
    if (error != 0) fail_with(error, "allocating storage for", shared.path);
  });
}

void set_atomicity(File& file, bool atomic)
{
  do_once(file, atomic, "flags", refusal_of([&] { check_no_split(file); }), [] {});
  file.atomic = atomic;
}

void sync(File& file)
{
  FileShared& shared = file.shared();
  const auto refusal = refusal_of([&] {
    check_no_split(file);
    if (file.outstanding.value() > 0)
      fail(ErrorClass::other, "nonblocking accesses of the file are under way (MPI 5.0 §14.6.1)");
  });
  do_once(file, 0, "files", refusal, [&] {
    if (shared.amode & rdonly) return;
    while (shared.files.calls->sync(shared.descriptor) != 0)
      if (errno != EINTR) fail_with(errno, "synchronizing", shared.path);
  });
}

void set_view(File& file, Count displacement, Datatype& etype, Datatype& filetype,
              RepresentationPtr representation, const Info* info)
{
  // What must be equal (§14.3): the extent of the etype in the file, and the representation.
  struct Common {
    Count extent = 0;
    std::string representation;
    bool operator!=(const Common& other) const
    {
      return extent != other.extent || representation != other.representation;
    }
  } common;
  FileShared& shared = file.shared();
  ViewPtr view;
  const auto refusal = refusal_of([&] {
    check_no_split(file);
    if (displacement == displacement_current) {
      if (!(shared.amode & sequential))
        fail(ErrorClass::arg, "MPI_DISPLACEMENT_CURRENT is for files open with MPI_MODE_SEQUENTIAL");
      const Count position = shared.shared_pointer.value() * file.view->etype_size();
      displacement = file.view->has_data() ? file.view->place_of(position) : 0;
    }
    view = std::make_shared<View>(displacement, etype, filetype, std::move(representation));
    if (!(shared.amode & rdonly) && !view->is_writable())
      fail(ErrorClass::io, "the filetype's data overlaps, and the file is open for writing");
    common = {view->etype_extent(), view->representation().name()};
  });
  do_once(file, common, "etypes or data representations", refusal, [&] { shared.shared_pointer.restart(0); });
  file.view = std::move(view);
  file.pointer.restart(0);
  if (info) keep_hints(file.hints, *info);
}

void seek(File& file, Count offset, Whence whence)
{
  if (file.shared().amode & sequential)
    fail(ErrorClass::unsupported_operation, "the file is open with MPI_MODE_SEQUENTIAL");
  file.pointer.restart(sought(file, file.pointer.value(), offset, whence));
}

void seek_shared(File& file, Count offset, Whence whence)
{
  const std::pair<Count, Whence> value(offset, whence);
  const auto refusal = refusal_of([&] {
    check_no_split(file);
    if (file.shared().amode & sequential)
      fail(ErrorClass::unsupported_operation, "the file is open with MPI_MODE_SEQUENTIAL");
  });
  do_once(file, value, "offsets", refusal, [&] {
    memmodel::Counter<>& pointer = file.shared().shared_pointer;
    pointer.restart(sought(file, pointer.value(), offset, whence));
  });
}

Count byte_offset(File& file, Count offset)
{
  if (offset < 0) fail(ErrorClass::arg, "the offset %lld is negative", static_cast<long long>(offset));
  if (file.shared().amode & sequential)
    fail(ErrorClass::unsupported_operation, "the file is open with MPI_MODE_SEQUENTIAL");
  Count position;
  if (__builtin_mul_overflow(offset, file.view->etype_size(), &position))
    fail(ErrorClass::value_too_large, "the offset %lld is too large", static_cast<long long>(offset));
  return file.view->place_of(position);
}

}  // namespace ranklet::io
