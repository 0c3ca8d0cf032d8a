// Which accesses to an open file conflict (MPI 5.0 §14.6.1): outside atomic mode, what two members do to the
// same bytes, one of them writing, is defined only if MPI_File_sync comes between. And whether the members
// that use the shared file pointer see the file alike (§14.4.4).
//
// MPI_File_sync is collective, so two accesses after equally many of them have none between. Not compared are
// accesses by the shared file pointer, and those of one member among each other.
//
// Thread safety: any threads, under a lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/guarded.hpp"
#include "check/range_map.hpp"
#include "terms/recorded_call.hpp"

namespace ranklet::check {

// A member of those that opened a file together.
struct FileMember {
  std::shared_ptr<const void> file;  // stands for it
  int members;
  int rank;
};

struct FileAccess {
  bool writes = false;
  bool atomic = false;
  std::vector<Range> pieces;  // of the file, in order, apart from each other
  Ref<const RecordedCall> call;
};

struct FileConflict {
  bool both_write;
  std::uintptr_t first;  // byte that both access
  Ref<const RecordedCall> other;
};

// A member's view: `shape` is the same for those that show the same bytes in the same order.
struct FileView {
  std::uint64_t shape = 0;
  Ref<const RecordedCall> call;  // that has set it
};

class FileAccesses {
 public:
  // An access of the member, and one that it conflicts with: a write rather than a read.
  std::optional<FileConflict> add(const FileMember& member, FileAccess access);
  // The member has left MPI_File_sync.
  void synced(const FileMember& member);

  void viewed(const FileMember& member, FileView view);
  // The call by which another member has set a view that is not this one's, after as many views of both; or
  // null.
  Ref<const RecordedCall> other_view(const FileMember& member);

  // How many accesses to the file are kept; alike ones of one member are one.
  std::size_t kept(const FileMember& member);

 private:
  // Beyond these a file's accesses are forgotten.
  static constexpr std::size_t most_accesses = 8192;
  static constexpr std::size_t most_pieces = 1 << 20;

  struct Entry {
    FileAccess access;
    int rank;
    std::uint64_t syncs;  // of the member before it
  };
  struct Seen {
    FileView view;
    std::uint64_t views = 0;
  };
  struct State {
    std::weak_ptr<const void> file;
    std::vector<std::uint64_t> syncs;  // by member
    std::vector<Seen> views;           // by member
    std::uint64_t alike = 0;           // after so many views all members saw the same
    RangeMap<Entry> accesses;
    std::size_t pieces = 0;
  };
  State& state_of(const FileMember& member) RANKLET_REQUIRES(lock_);

  Mutex lock_;
  std::map<const void*, State> states_ RANKLET_GUARDED_BY(lock_);
  std::size_t next_sweep_ RANKLET_GUARDED_BY(lock_) = 64;
};

}  // namespace ranklet::check
