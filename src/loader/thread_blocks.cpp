#include "loader/thread_blocks.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

// No address has this bit, nor has a module number of the C library.
constexpr std::uint64_t private_mark = std::uint64_t{1} << 63;

struct TlsIndex {  // x86-64 psABI: the argument of __tls_get_addr
  std::uint64_t module;
  std::uint64_t offset;
};

extern "C" void* __tls_get_addr(TlsIndex*);

// A table's first entry, which is no module's (absolute_slot), says how many entries it has.
std::uint64_t capacity_of(std::byte* const* table)
{
  return reinterpret_cast<std::uint64_t>(table[absolute_slot]);
}

// A thread that belongs to no rank, made by a shared library, has only what the file says.
[[gnu::noinline]] std::byte* block_of_stranger(const Module& module)
{
  const Elf64_Phdr& segment = *module.tls_segment();
  ThreadBlocks::of_this_thread().add(module,
                                     module.file().at<std::byte>(segment.p_vaddr, segment.p_filesz).data());
  return host_thread().blocks[module.slot()];
}

// Old compilers call __tls_get_addr on a stack that is not aligned.
[[gnu::force_align_arg_pointer]] void* rank_tls_get_addr(TlsIndex* index)
{
  if ((index->module & private_mark) == 0) return __tls_get_addr(index);
  return thread_block(*reinterpret_cast<const Module*>(index->module & ~private_mark)) + index->offset;
}

extern "C" [[noreturn, gnu::used]] void ranklet_no_thread_block()
{
  std::fputs("ranklet: a thread that no rank made uses thread-local storage of a library opened by dlopen\n",
             stderr);
  std::abort();
}

// In: %rax, the descriptor, whose second word is the DescriptorArgument {slot, offset}. Out: %rax, the
// distance from the thread pointer. All other registers are kept (x86-64 psABI, TLS descriptors). 16:
// HostThread::blocks.
extern "C" void ranklet_block_descriptor();
asm(R"(
  .text
  .local ranklet_block_descriptor
  .type ranklet_block_descriptor, @function
ranklet_block_descriptor:
  endbr64
  push %rcx
  push %rdx
  mov 8(%rax), %rax
  mov %fs:0, %rdx
  sub _ZN7ranklet6loader15host_block_sizeE(%rip), %rdx
  mov 16(%rdx), %rdx
  test %rdx, %rdx
  jz 1f
  mov (%rax), %rcx
  cmp (%rdx), %rcx
  jae 1f
  mov (%rdx,%rcx,8), %rdx
  test %rdx, %rdx
  jz 1f
  mov 8(%rax), %rax
  add %rdx, %rax
  sub %fs:0, %rax
  pop %rdx
  pop %rcx
  ret
1:
  and $-16, %rsp
  call ranklet_no_thread_block
  .size ranklet_block_descriptor, .-ranklet_block_descriptor
)");

static_assert(offsetof(HostThread, blocks) == 16);

}  // namespace

// The process's key whose value is a thread's blocks: so they go with the thread.
pthread_key_t ThreadBlocks::key()
{
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, &end) != 0) fail(ErrorClass::no_mem, "no key for thread-local storage");
    return made;
  }();
  return key;
}

ThreadBlocks& ThreadBlocks::of_this_thread()
{
  auto* blocks = static_cast<ThreadBlocks*>(pthread_getspecific(key()));
  if (!blocks) {
    blocks = new ThreadBlocks(host_thread());
    if (pthread_setspecific(key(), blocks) != 0) {
      delete blocks;
      fail(ErrorClass::no_mem, "no memory for thread-local storage");
    }
  }
  return *blocks;
}

void ThreadBlocks::end(void* object)
{
  auto* const blocks = static_cast<ThreadBlocks*>(object);
  // Other keys' destructors may come later in this round, or make values anew.
  if (++blocks->rounds_ < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(key(), blocks);
  else
    delete blocks;
}

ThreadBlocks::~ThreadBlocks()
{
  thread_.blocks = nullptr;
  for (const Memory& memory : memory_)
    if (memory.mapped != 0)
      munmap(memory.address, memory.mapped);
    else
      std::free(memory.address);
}

void ThreadBlocks::make_room(std::size_t slot)
{
  if (slot < capacity_) return;
  const std::size_t capacity = std::max<std::size_t>(slot + 1, 2 * std::max<std::size_t>(capacity_, 32));
  auto table = std::make_unique<std::byte*[]>(capacity);
  if (capacity_ != 0) std::copy_n(tables_.back().get(), capacity_, table.get());
  table[absolute_slot] = reinterpret_cast<std::byte*>(capacity);
  capacity_ = capacity;
  tables_.push_back(std::move(table));
  // release: the thread may read it at any time; it reads entries of libraries it knows of, whose blocks were
  // there before it learned of them.
  std::atomic_ref(thread_.blocks).store(tables_.back().get(), std::memory_order_release);
}

// All zero, and as far into an alignment unit as the segment begins. Large blocks are pages that nobody has
// touched.
std::byte* ThreadBlocks::allocate(const Elf64_Phdr& segment)
{
  constexpr std::size_t mapped_from = 65536;
  const std::size_t alignment = std::max<std::size_t>(segment.p_align, 16);
  const std::size_t first = segment.p_vaddr & (alignment - 1);
  const std::size_t size = first + segment.p_memsz + alignment;
  Memory memory{nullptr, 0};
  if (size >= mapped_from) {
    memory.address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory.mapped = size;
    if (memory.address == MAP_FAILED) memory.address = nullptr;
  } else {
    memory.address = std::calloc(1, size);
  }
  if (!memory.address)
    fail(ErrorClass::no_mem, "cannot allocate %zu bytes of thread-local storage",
         std::size_t{segment.p_memsz});
  memory_.push_back(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.address);
  return reinterpret_cast<std::byte*>((begin + alignment - 1) / alignment * alignment + first);
}

void ThreadBlocks::add(const Module& module, const std::byte* initial)
{
  const Elf64_Phdr& segment = *module.tls_segment();
  make_room(module.slot());
  std::byte*& block = tables_.back()[module.slot()];
  if (block)  // the library has been closed and is opened again
    std::memset(block, 0, segment.p_memsz);
  else
    block = allocate(segment);
  std::memcpy(block, initial, segment.p_filesz);
}

std::byte* thread_block(const Module& module)
{
  std::byte** const table = host_thread().blocks;
  if (table && module.slot() < capacity_of(table))
    if (std::byte* const block = table[module.slot()]) return block;
  return block_of_stranger(module);
}

std::uint64_t tls_module_word(const Module& module)
{
  return reinterpret_cast<std::uint64_t>(&module) | private_mark;
}

void* tls_get_addr_function()
{
  return reinterpret_cast<void*>(&rank_tls_get_addr);
}

void* tls_descriptor_function()
{
  return reinterpret_cast<void*>(&ranklet_block_descriptor);
}

}  // namespace ranklet::loader
