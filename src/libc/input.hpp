// The job's standard input, and which ranks get it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>

#include "base/guarded.hpp"
#include "libc/input_copies.hpp"

namespace ranklet::loader {

// Where everybody reads, each rank has its own copy: a file is read at the rank's own place; of a pipe or a
// terminal is kept what some rank has not read yet. No rank waits for another one, only for input. What a
// child process of a rank reads is nobody's copy: it is taken from the common input.
//
// Thread-safe. Lives longer than the ranks.
class JobInput {
 public:
  static constexpr int nobody = -1;
  static constexpr int everybody = -2;

  // receiver: a rank of the job, nobody or everybody. Elsewhere the job's ranks are numbered from `first` on.
  explicit JobInput(int ranks, int receiver = 0, int descriptor = 0, int first = 0);
  JobInput(const JobInput&) = delete;
  JobInput& operator=(const JobInput&) = delete;

  // Ranks that are not the job's get none.
  bool reaches(int rank) const noexcept
  {
    return receiver_ == rank || (receiver_ == everybody && rank >= first_ && rank < first_ + ranks_);
  }
  bool is_only_for(int rank) const noexcept { return receiver_ == rank; }
  int descriptor() const noexcept { return descriptor_; }

  // Whether read() answers at once although the descriptor may have nothing: a wait for it is over.
  bool is_ready(int rank);
  // Like read(2) for this rank; 0 (end of file) if the input goes elsewhere.
  ssize_t read(int rank, void* bytes, std::size_t size);
  // Like lseek(2), where the rank is the only reader.
  off_t seek(int rank, off_t offset, int whence);
  // The rank has ended: nothing needs to be kept for it.
  void leave(int rank);
  // Whether a rank waits for input just now.
  // relaxed is enough: a hint about another thread's call, which may end or begin at any time.
  bool has_waiting_reader() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  ssize_t read_copy(int rank, void* bytes, std::size_t size);
  ssize_t read_file(int rank, void* bytes, std::size_t size);

  std::size_t reader(int rank) const noexcept { return static_cast<std::size_t>(rank - first_); }

  const int first_;
  const int ranks_;
  const int receiver_;
  const int descriptor_;
  std::atomic<int> waiting_ = 0;
  // For everybody.
  off_t file_begin_ = -1;  // where our part of the file begins; -1: no file
  Mutex mutex_;
  std::condition_variable came_;
  bool reading_ RANKLET_GUARDED_BY(mutex_) = false;  // a rank is in read(2), for all
  unsigned ends_ RANKLET_GUARDED_BY(mutex_) = 0;     // how often that found the end
  InputCopies copies_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
