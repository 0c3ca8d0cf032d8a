// What the descriptors 0, 1 and 2 mean to a rank.
//
// To begin with: the job's input and the rank's line assemblers. dup2, close and freopen change the meaning
// for this rank only; the process's descriptors 0 to 2 stay as they are. dup(1) yields a new descriptor that
// still leads to the assembler (an alias). A rank that was a process has aliases for what that had open.
//
// Thread safety: all members may be called from any thread of the rank.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <map>

#include "base/guarded.hpp"
#include "libc/input.hpp"
#include "libc/output.hpp"

namespace ranklet::loader {

class Descriptors {
 public:
  // seat: the rank's number in both.
  Descriptors(int seat, JobOutput& output, JobInput& input);
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  // Whether calls on this descriptor must come here; for all others the kernel's answer is right. One
  // comparison and one load.
  bool owns(int descriptor) const noexcept
  {
    // acquire pairs with the release in set(): a thread that another one has told of an alias
    // sees it in the table.
    return ((descriptor >= 0 && descriptor <= 2) ||
            (has_aliases_.load(std::memory_order_acquire) && find_alias(descriptor))) &&
           !detached_;
  }

  // Like the system calls. The descriptor must be owned.
  ssize_t write(int descriptor, const void* bytes, std::size_t size);
  ssize_t read(int descriptor, void* bytes, std::size_t size);
  off_t seek(int descriptor, off_t offset, int whence);
  int close(int descriptor);
  int duplicate(int descriptor);  // dup(2)
  // fcntl(2) with an argument that is a number or a pointer.
  int control(int descriptor, int command, long argument);
  // Whether a wait for input or output would end at once, whatever the kernel's descriptor says: at the end
  // of an input that goes to other ranks, and with input that another rank has read already.
  bool is_ready(int descriptor) const;
  // Whether it leads to one of the rank's line assemblers.
  bool is_stream(int descriptor) const;
  // A new descriptor gets the lowest free number (open(2)): 0 to 2 if the rank has closed it. Returns the
  // number.
  int settle(int descriptor, bool close_on_exec);

  // dup2 and dup3, if either is owned.
  int duplicate_to(int from, int to, int flags);

  const JobInput& input() const noexcept { return input_; }

  // The descriptor (0 to 2) means from now on `real`, which this object closes in the end.
  void redirect(int descriptor, int real);

  // At the rank's start: the descriptors of a process, by its numbers; ours become this object's. What is not
  // there is closed.
  void replace_all(const std::map<int, int>& ours);
  // At its end: closes those that are not the job's streams.
  void close_all();

  // The kernel's descriptor behind an owned one: for isatty, fstat and the like. -1 if closed.
  int real_descriptor(int descriptor) const;

  // fflush(stdout): shows a partial line if the program's stdout is a terminal.
  void flush_to_terminal(int descriptor);
  // Whether nobody is found writing to the streams (LineAssembler::is_free).
  bool are_streams_free(Patience& patience) const noexcept;
  // Emits partial lines of both streams.
  void flush_lines();
  // The rank has ended.
  void finish();

  // Duplicates (close-on-exec, 3 or more) of what a child process should have as 0 to 2; -1 where closed.
  // in_child: those that close on exec as well.
  std::array<int, 3> copies_for_child(bool in_child = false) const;

  // In the child of a fork: makes the process's descriptors 0 to 2 what they were to the rank, and owns none
  // any more.
  void apply_to_process() RANKLET_UNCHECKED;  // there is one thread

 private:
  enum class Kind { input, out, err, real, closed };
  struct Target {
    Kind kind = Kind::closed;
    int real = -1;  // Kind::real
  };

  bool find_alias(int descriptor) const;
  Target target_of(int descriptor) const;
  int lowest_closed() const;
  // Of 0 to 2.
  bool closes_on_exec(int descriptor) const;
  void set_close_on_exec(int descriptor, bool closes);
  int duplicate_above(int descriptor, int command, long minimum);
  void set(int descriptor, Target target);
  Target copy_of(Target target) const;
  LineAssembler& assembler(Kind kind) const noexcept;

  const int seat_;
  const std::array<LineAssembler*, 2> streams_;  // by Stream
  JobInput& input_;
  bool detached_ = false;  // set in a forked child, which has one thread
  std::atomic<bool> has_aliases_ = false;
  mutable Mutex mutex_;
  std::array<Target, 3> standard_ RANKLET_GUARDED_BY(mutex_);
  std::array<bool, 3> close_on_exec_ RANKLET_GUARDED_BY(mutex_){};
  std::map<int, Target> aliases_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
