// The C library's allocation functions, which all that is loaded later finds here first: they allocate as
// ever and note it. Functions of the C library that allocate (strdup, getline …) call these, too, as it
// supports replacing them.
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "heap/blocks.hpp"
#include "memmodel/memmodel.hpp"

extern "C" {
void* __libc_calloc(std::size_t number, std::size_t size) noexcept;
void* __libc_realloc(void* memory, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
}

namespace ranklet::heap {
namespace {

// The blocks whose addresses begin alike, so that threads, whose arenas are of that size, seldom meet.
constexpr int shard_bits = 26;
constexpr std::size_t shards = 64;
// Larger ones are together in one more, as their last bytes' addresses may begin otherwise.
constexpr std::size_t large = std::size_t{1} << 20;

// Held shortly, and often by a thread that frees what another one has: sleeping would cost more than it
// waits.
struct Shard {
  memmodel::SpinLock<> lock;
  Blocks blocks RANKLET_GUARDED_BY(lock);
};

// Never destroyed, as others allocate until the very end.
struct Heap {
  Shard by_address[shards];
  Shard of_large;

  Shard& of(std::uintptr_t address) { return by_address[(address >> shard_bits) % shards]; }
};

Heap& heap()
{
  alignas(Heap) static std::byte memory[sizeof(Heap)];
  static Heap& only = *new (memory) Heap;
  return only;
}

// How many calls of MPI the thread is in. The library is loaded first, so its variables have their place.
[[gnu::tls_model("initial-exec")]] constinit thread_local int calls = 0;

template <class Function>
void for_each_shard(Function&& function)
{
  for (Shard& shard : heap().by_address) function(shard);
  function(heap().of_large);
}

// A child of fork() is to find the locks free.
[[gnu::constructor]] void survive_forks()
{
  // Unchecked: what the first locks, the others unlock.
  const auto unlock = [] { for_each_shard([](Shard& shard) RANKLET_UNCHECKED { shard.lock.unlock(); }); };
  pthread_atfork([] { for_each_shard([](Shard& shard) RANKLET_UNCHECKED { shard.lock.lock(); }); }, unlock,
                 unlock);
}

std::uintptr_t address_of(const void* memory)
{
  return reinterpret_cast<std::uintptr_t>(memory);
}

void* noted(void* memory, std::size_t size)
{
  if (memory == nullptr || calls > 0) return memory;
  Shard& shard = size > large ? heap().of_large : heap().of(address_of(memory));
  const Holder guard(shard.lock);
  shard.blocks.add(address_of(memory), size);
  return memory;
}

[[noreturn]] void freed_before()
{
  constexpr std::string_view text = "ranklet: free() or realloc() of a block that was freed before\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) >= 0) std::abort();
  std::abort();
}

bool find_in(Shard& shard, std::uintptr_t address, Block& block)
{
  const Holder guard(shard.lock);
  const Block* const found = shard.blocks.find(address);
  if (found != nullptr) block = *found;
  return found != nullptr;
}

// The one that begins at the address is not the program's any more; its memory is kept in its shard, or
// nothing is known of it from here on, before another thread may get it.
enum class Fate { kept, gone };
Fate take_back(Shard& shard, std::uintptr_t address)
{
  const Holder guard(shard.lock);
  if (const Block* const found = shard.blocks.find(address); found != nullptr && found->freed) freed_before();
  if (!shard.blocks.keep(address)) {
    shard.blocks.forget(address);
    return Fate::gone;
  }
  while (const std::uintptr_t oldest = shard.blocks.let_go()) __libc_free(reinterpret_cast<void*>(oldest));
  return Fate::kept;
}

void* aligned(std::size_t alignment, std::size_t size)
{
  return noted(__libc_memalign(alignment, size), size);
}

bool is_power_of_two(std::size_t number)
{
  return number != 0 && (number & (number - 1)) == 0;
}

}  // namespace
}  // namespace ranklet::heap

using ranklet::heap::Block;
using ranklet::heap::heap;

extern "C" {

[[gnu::visibility("default")]] bool ranklet_heap_find(std::uintptr_t address, Block* block)
{
  using namespace ranklet::heap;
  Shard& shard = heap().of(address);
  Shard& before = heap().of(address - large);
  return find_in(shard, address, *block) || (&before != &shard && find_in(before, address, *block)) ||
         find_in(heap().of_large, address, *block);
}

[[gnu::visibility("default")]] void ranklet_heap_in_mpi(bool inside)
{
  ranklet::heap::calls += inside ? 1 : -1;
}

[[gnu::visibility("default")]] void* malloc(std::size_t size) noexcept
{
  return ranklet::heap::noted(ranklet::heap::__libc_malloc(size), size);
}

[[gnu::visibility("default")]] void* calloc(std::size_t number, std::size_t size) noexcept
{
  return ranklet::heap::noted(__libc_calloc(number, size), number * size);
}

[[gnu::visibility("default")]] void free(void* memory) noexcept
{
  using namespace ranklet::heap;
  if (memory == nullptr) return;
  const std::uintptr_t address = address_of(memory);
  if (take_back(heap().of(address), address) == Fate::kept) return;
  {
    const ranklet::Holder guard(heap().of_large.lock);
    heap().of_large.blocks.forget(address);
  }
  __libc_free(memory);
}

[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t size) noexcept
{
  using namespace ranklet::heap;
  if (memory == nullptr) return malloc(size);
  const std::uintptr_t address = address_of(memory);
  Block before;
  const bool known =
      find_in(heap().of(address), address, before) || find_in(heap().of_large, address, before);
  if (known && before.freed) freed_before();
  for (Shard* const shard : {&heap().of(address), &heap().of_large}) {
    const ranklet::Holder guard(shard->lock);
    shard->blocks.forget(address);
  }
  void* const moved = __libc_realloc(memory, size);
  // It stays where it was if there is no room, but not if it was to have no bytes.
  if (moved == nullptr && size != 0 && known) noted(memory, before.size);
  return noted(moved, size);
}

[[gnu::visibility("default")]] void* reallocarray(void* memory, std::size_t number, std::size_t size) noexcept
{
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(number, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(memory, bytes);
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) noexcept
{
  return ranklet::heap::aligned(alignment, size);
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
  return ranklet::heap::aligned(alignment, size);
}

[[gnu::visibility("default")]] int posix_memalign(void** memory, std::size_t alignment,
                                                  std::size_t size) noexcept
{
  if (alignment % sizeof(void*) != 0 || !ranklet::heap::is_power_of_two(alignment)) return EINVAL;
  void* const found = ranklet::heap::aligned(alignment, size);
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}

[[gnu::visibility("default")]] void* valloc(std::size_t size) noexcept
{
  return ranklet::heap::aligned(4096, size);
}

[[gnu::visibility("default")]] void* pvalloc(std::size_t size) noexcept
{
  return ranklet::heap::aligned(4096, (size + 4095) / 4096 * 4096);
}

// A program that asks may use all of it.
[[gnu::visibility("default")]] std::size_t malloc_usable_size(void* memory) noexcept
{
  if (memory == nullptr) return 0;
  // The word before a block holds the size of both and flags (glibc's malloc/malloc.c).
  std::size_t word = 0;
  std::memcpy(&word, static_cast<const char*>(memory) - sizeof word, sizeof word);
  constexpr std::size_t flags = 7;
  constexpr std::size_t is_mapped = 2;
  const std::size_t usable = (word & ~flags) - ((word & is_mapped) != 0 ? 2 : 1) * sizeof word;
  for (ranklet::heap::Shard* const shard :
       {&heap().of(ranklet::heap::address_of(memory)), &heap().of_large}) {
    const ranklet::Holder guard(shard->lock);
    shard->blocks.resize(ranklet::heap::address_of(memory), usable);
  }
  return usable;
}

}  // extern "C"
