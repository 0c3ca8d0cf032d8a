#include "launch/rank_stack.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/resource.h>

#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least = std::size_t{8} << 20;
constexpr std::size_t unlimited = std::size_t{1} << 30;
constexpr std::size_t smallest_useful = std::size_t{256}
                                        << 10;  // the program's thread storage lies there too

}  // namespace

std::size_t stack_size(Count asked)
{
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  ::getrlimit(RLIMIT_STACK, &limit);
  return stack_size(asked, limit);
}

std::size_t stack_size(Count asked, const rlimit& limit)
{
  std::size_t size = static_cast<std::size_t>(asked);
  if (asked > 0) {
    size = std::max(size, smallest_useful);
  } else {
    const bool known = limit.rlim_cur != RLIM_INFINITY;
    size = known ? std::max<std::size_t>(limit.rlim_cur, least) : unlimited;
    size = std::min(size, unlimited);
  }
  return (size + page - 1) / page * page;
}

void* map_stack(std::size_t size)
{
  void* const mapping = ::mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED)
    fail(ErrorClass::no_mem, "no memory for a stack of %zu bytes: %s (RANKLET_STACK makes stacks smaller)",
         size, std::strerror(errno));
  ::madvise(mapping, size + page, MADV_NOHUGEPAGE);
  ::mprotect(mapping, page, PROT_NONE);
  return static_cast<char*>(mapping) + page;
}

void unmap_stack(void* stack, std::size_t size) noexcept
{
  ::munmap(static_cast<char*>(stack) - page, size + page);
}

}  // namespace ranklet::launch
