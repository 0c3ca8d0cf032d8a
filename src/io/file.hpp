// An open file: what its members share, and how one of them sees it.
//
// Thread safety: as MPI asks for: data access by any threads of the rank at once, all else by one at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.hpp"
#include "comm/comm.hpp"
#include "io/file_hints.hpp"
#include "io/file_mappings.hpp"
#include "io/job_files.hpp"
#include "io/transfer.hpp"

namespace ranklet {

namespace io {

// With the values of MPI_MODE_*; api/ asserts that they agree.
enum Mode : int {
  append = 1,
  create = 2,
  delete_on_close = 4,
  excl = 8,
  rdonly = 16,
  rdwr = 32,
  sequential = 64,
  unique_open = 128,
  wronly = 256,
};

class Gathering;
class FileRequest;

struct FileShared {
  FileShared(JobFiles& in_files, std::string in_path, int in_amode, int in_descriptor);
  ~FileShared();
  FileShared(const FileShared&) = delete;
  FileShared& operator=(const FileShared&) = delete;

  Medium medium() const noexcept { return {files.calls, descriptor}; }
  // Errors: what the system call fails with.
  Count size() const;

  JobFiles& files;
  const std::string path;  // absolute
  const int amode;
  int descriptor;  // one for all members; -1: closed
  std::shared_ptr<Inode> inode;
  std::unique_ptr<FileMappings> mappings;  // null: small pieces are written by calls
  Count begin = 0;                         // of all file pointers; constant once the file is open
  memmodel::Counter<> shared_pointer;      // in etypes of the members' common view

  // Collective accesses under way, by their number.
  Mutex gatherings_lock;
  std::map<std::uint64_t, std::shared_ptr<Gathering>> gatherings RANKLET_GUARDED_BY(gatherings_lock);
};

// Which split collective access is open (§14.4.5).
enum class Split : std::uint8_t { at_all, all, ordered };

}  // namespace io

class File {
 public:
  File(CommRef comm, std::shared_ptr<io::FileShared> shared, io::ViewPtr view, Info hints);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Rank& self() const noexcept { return comm_->self(); }
  // Of the file alone.
  Communicator& comm() const noexcept { return *comm_; }
  io::FileShared& shared() const noexcept { return *shared_; }
  const std::shared_ptr<io::FileShared>& shared_part() const noexcept { return shared_; }

  io::ViewPtr view;
  memmodel::Counter<> pointer;  // in etypes of the view
  Info hints;
  bool atomic = false;
  std::shared_ptr<api::Errhandler> errhandler;
  memmodel::Counter<> collectives;  // accesses that this member has come to
  memmodel::Counter<> outstanding;  // nonblocking accesses that have not been completed

  struct OpenSplit {
    io::Split split;
    io::Direction direction;
    const void* buffer;
    std::unique_ptr<io::FileRequest> request;
  };
  std::optional<OpenSplit> open_split;

 private:
  const CommRef comm_;
  const std::shared_ptr<io::FileShared> shared_;
};

}  // namespace ranklet
