// Who gets the job's standard input.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace ranklet::loader {

// Thread-safe. Lives longer than the ranks.
class JobInput {
 public:
  static constexpr int nobody = -1;
  static constexpr int everybody = -2;  // each rank reads its own copy

  explicit JobInput(int receiver = 0, int descriptor = 0) : receiver_(receiver), descriptor_(descriptor) {}
  JobInput(const JobInput&) = delete;
  JobInput& operator=(const JobInput&) = delete;

  bool reaches(int rank) const noexcept { return receiver_ == rank || receiver_ == everybody; }
  int descriptor() const noexcept { return descriptor_; }

  // Like read(2) for this rank; 0 (end of file) if the input goes elsewhere. `position` counts what the rank
  // has read of its copy.
  ssize_t read(int rank, std::size_t& position, void* bytes, std::size_t size);
  // Like lseek(2), where the rank is the only reader.
  off_t seek(int rank, off_t offset, int whence);
  // Whether a rank waits for input just now.
  // relaxed is enough: a hint about another thread's call, which may end or begin at any time.
  bool has_waiting_reader() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  ssize_t read_copy(std::size_t& position, void* bytes, std::size_t size);

  int receiver_;
  int descriptor_;
  std::atomic<int> waiting_ = 0;
  std::mutex mutex_;
  std::string seen_;  // all input so far; only for everybody
};

}  // namespace ranklet::loader
