// Files by their names: MPI_File_open and MPI_File_delete.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "comm/confer.hpp"
#include "io/manage.hpp"
#include "terms/error.hpp"

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
  // All begin where the file ended when it was opened (§14.2.1).
  if (mine.amode & append) shared->begin = found.st_size;
  shared->shared_pointer.restart(shared->begin);
  return shared;
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
  // Others may have moved the shared pointer already.
  const Count start = shared->begin;
  auto* const file = new File(std::move(comm), std::move(shared), std::move(view), std::move(hints));
  file->pointer.restart(start);
  return file;
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

}  // namespace ranklet::io
