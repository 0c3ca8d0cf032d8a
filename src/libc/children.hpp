// Child processes of a rank: they get the rank's environment and its descriptors 0 to 2, and only the rank
// that made them can wait for them.
//
// To the kernel all children belong to the one process, so each rank knows its own by number, and a wait for
// any child is a wait for any of these. Children that a rank makes by means that do not come here (a raw
// system call) can be waited for by number, on the thread that made them.
#pragma once

#include <spawn.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

struct LibcState;

// A function that starts a program as posix_spawn does.
using SpawnFunction = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                              const posix_spawnattr_t*, char* const[], char* const[]);

// Thread-safe for the threads of a rank.
class Children {
 public:
  explicit Children(LibcState& state) : state_(state) {}
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  enum class ForkHandling { run, skip };
  // skip: vfork and _Fork, which run no handlers of pthread_atfork.
  pid_t fork(ForkHandling handlers = ForkHandling::run);
  int system(const char* command);
  std::FILE* popen(const char* command, const char* mode);
  int pclose(std::FILE* pipe);
  // posix_spawn(3) or posix_spawnp. add_steps adds the program's own file actions, which come after the
  // rank's descriptors have been put in their places.
  int spawn(SpawnFunction function, pid_t* child, const char* file,
            const std::function<int(posix_spawn_file_actions_t*)>& add_steps,
            const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment);

  // waitid(2) with the resource usage that its system call has (may be nullptr).
  int wait(idtype_t kind, id_t id, siginfo_t* info, int options, rusage* usage);
  // What waitpid(2) reports where waitid(2) gives a siginfo_t.
  static int status_of(const siginfo_t& info);

  // Whether this is the child of a fork(): a process with one thread, in which exit() must end the process.
  bool in_child() const noexcept { return in_child_; }

 private:
  class Waiter;

  pid_t start_shell(const char* command, int replaced, int replacement);
  void begin_as_child() RANKLET_REQUIRES(mutex_);
  void add(pid_t child);
  void insert(pid_t child) RANKLET_REQUIRES(mutex_);
  std::vector<pid_t> matching(idtype_t kind, id_t id) const RANKLET_REQUIRES(mutex_);
  bool take(pid_t child, siginfo_t& info, int options, rusage* usage) RANKLET_REQUIRES(mutex_);
  void drop_ignored() RANKLET_REQUIRES(mutex_);

  LibcState& state_;
  bool in_child_ = false;
  Mutex mutex_;  // held while a child is reaped, so that its number is not used again
  std::map<std::FILE*, pid_t> pipes_ RANKLET_GUARDED_BY(mutex_);
  // Those of system() are not among them: nobody else may wait for them.
  std::set<pid_t> children_ RANKLET_GUARDED_BY(mutex_);
  std::vector<Waiter*> waiters_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
