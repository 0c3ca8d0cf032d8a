#include "io/manage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "comm/confer.hpp"
#include "io/split.hpp"

namespace ranklet::io {

namespace {

void check_amode(int amode)
{
  const int ways = amode & (rdonly | rdwr | wronly);
  if (ways != rdonly && ways != rdwr && ways != wronly)
    fail(ErrorClass::amode,
         "amode has not exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY");
  if (ways == rdonly && (amode & (create | excl)) != 0)
    fail(ErrorClass::amode, "MPI_MODE_RDONLY goes with neither MPI_MODE_CREATE nor MPI_MODE_EXCL");
  if (ways == rdwr && (amode & sequential) != 0)
    fail(ErrorClass::amode, "MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL");
  if ((amode &
       ~(append | create | delete_on_close | excl | rdonly | rdwr | sequential | unique_open | wronly)) != 0)
    fail(ErrorClass::amode, "amode 0x%x has unknown bits", static_cast<unsigned>(amode));
}

int open_flags(int amode)
{
  int flags = O_CLOEXEC;
  flags |= (amode & rdonly) ? O_RDONLY : (amode & wronly) ? O_WRONLY : O_RDWR;
  if (amode & create) flags |= O_CREAT;
  if (amode & excl) flags |= O_EXCL;
  return flags;
}

// Without the prefix by which ROMIO's users name a file system, and from the root on: the calling thread's
// directory may be another one when the name is used again.
std::string absolute(const std::string& name)
{
  std::string path = name;
  for (const char* prefix : {"ufs:", "nfs:", "xfs:", "gpfs:", "lustre:", "panfs:", "pvfs2:"})
    if (path.starts_with(prefix)) path.erase(0, std::string(prefix).size());
  if (path.empty() || path[0] == '/') return path;
  char directory[PATH_MAX];
  if (!::getcwd(directory, sizeof directory)) fail_with(errno, "finding the directory of", path);
  return std::string(directory) + "/" + path;
}

// What a member brings to the opening.
struct Offer {
  std::string path;
  int amode;
  const Info* info;
  std::optional<Error> refusal;
};

template <class Body>
std::optional<Error> refusal_of(Body&& body)
{
  try {
    body();
    return {};
  } catch (const Error& error) {
    return error;
  }
}

std::shared_ptr<FileShared> open_for_all(JobFiles& files, std::span<const Offer* const> offers)
{
  const Offer& mine = *offers[0];
  for (const Offer* each : offers) {
    if (each->refusal) throw Error(*each->refusal);
    if (each->amode != mine.amode)
      fail(ErrorClass::not_same, "the members gave the access modes 0x%x and 0x%x",
           static_cast<unsigned>(mine.amode), static_cast<unsigned>(each->amode));
  }
  Info hints;
  if (mine.info) keep_hints(hints, *mine.info);
  const int descriptor = files.calls->open(mine.path.c_str(), open_flags(mine.amode), permissions(hints));
  if (descriptor < 0) fail_with(errno, "opening", mine.path);
  auto shared = std::make_shared<FileShared>(files, mine.path, mine.amode, descriptor);
  struct stat found;
  if (files.calls->fstat(descriptor, &found) != 0) fail_with(errno, "opening", mine.path);
  if (S_ISDIR(found.st_mode)) fail_with(EISDIR, "opening", mine.path);
  for (const Offer* each : offers) {
    if (each->path == mine.path) continue;
    struct stat other;
    if (files.calls->stat(each->path.c_str(), &other) != 0 || other.st_dev != found.st_dev ||
        other.st_ino != found.st_ino)
      fail(ErrorClass::not_same, "the members' names %s and %s are not those of one file", mine.path.c_str(),
           each->path.c_str());
  }
  shared->inode = files.inode(found);
  if (files.recovers_stores && (mine.amode & rdwr) && S_ISREG(found.st_mode) &&
      FileMappings::are_right_for(*files.calls, descriptor))
    shared->mappings = std::make_unique<FileMappings>(*files.calls);
  if (mine.amode & append) shared->shared_pointer.restart(found.st_size);
  return shared;
}

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

File* open(Communicator& parent, const std::string& name, int amode, const Info* info)
{
  if (parent.is_inter()) fail(ErrorClass::comm, "a file cannot be opened over an intercommunicator");
  CommRef comm = comm::create(parent, parent.group());
  Offer offer{{}, amode, info, {}};
  offer.refusal = refusal_of([&] {
    check_amode(amode);
    offer.path = absolute(name);
  });
  Rank& self = comm->self();
  self.job.files->share_cores();
  auto shared =
      comm::confer<std::shared_ptr<FileShared>>(*comm, offer, [&](std::span<const Offer* const> offers) {
        return std::vector<std::shared_ptr<FileShared>>(offers.size(), open_for_all(*self.job.files, offers));
      });
  Info hints;
  if (info) keep_hints(hints, *info);
  Datatype& byte = predefined(Basic::byte);
  static const RepresentationPtr native = Representations().find("native");
  auto view = std::make_shared<View>(0, byte, byte, native);
  // All begin where the file ended when it was opened (§14.2.1).
  const Count start = shared->shared_pointer.value();
  auto* const file = new File(std::move(comm), std::move(shared), std::move(view), std::move(hints));
  file->pointer.restart(start);
  return file;
}

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

void remove(Job& job, const std::string& name)
{
  const std::string path = absolute(name);
  JobFiles& files = *job.files;
  struct stat found;
  if (files.calls->stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) fail_with(EISDIR, "deleting", path);
    if (files.is_open(found)) fail(ErrorClass::file_in_use, "%s is open", path.c_str());
  }
  if (files.calls->unlink(path.c_str()) != 0) fail_with(errno, "deleting", path);
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
