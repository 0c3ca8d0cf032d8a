#include "memmodel/native.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ranklet::memmodel {

namespace {

bool membarrier(int command) noexcept
{
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

// Set by a constructor of the library, before any rank's thread exists; until then both fences are full ones.
// A child of fork() inherits the registration, exec runs the constructor anew.
const bool Native::asymmetric = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

void Native::yield() noexcept
{
  sched_yield();
}

void Native::heavy_fence() noexcept
{
  // A registered process can be refused only by a filter that was installed later (seccomp); then a wake-up
  // may come as late as the sleeper's time limit.
  if (asymmetric) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Native::futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, int max_ms) noexcept
{
  const timespec limit{max_ms / 1000, (max_ms % 1000) * 1000000L};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
}

void Native::futex_wake_all(std::atomic<std::uint32_t>& word) noexcept
{
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

}  // namespace ranklet::memmodel
