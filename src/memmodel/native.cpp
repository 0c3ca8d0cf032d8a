#include "memmodel/native.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ranklet::memmodel {

namespace {

bool register_membarrier() noexcept
{
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

}  // namespace

// A thread that runs a light fence before this is set (another constructor) takes the full fence: always
// safe.
const bool Native::asymmetric = register_membarrier();

void Native::yield() noexcept
{
  sched_yield();
}

void Native::heavy_fence() noexcept
{
  if (asymmetric) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
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
