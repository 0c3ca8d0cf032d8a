// The host executable's thread-local storage: one reserve in which the programs' variables live.
//
// Code of an executable addresses its thread-local variables with fixed negative offsets from the thread
// pointer (local-exec model), where the running executable's TLS block lies: the host's. That block is a
// reserve which each thread of a rank fills with its program's initial image, the program's variables
// directly below the thread pointer, those of its private libraries below them. The lowest bytes belong to
// the loader (HostThread). The host executable must define no other thread_local variable; host_storage_ok()
// tells.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ranklet::loader {

struct ProcessState;

// What the loader itself keeps per thread. All zero in a thread that belongs to no rank.
struct HostThread {
  ProcessState* process;
  struct ThreadRecord* record;
  std::byte** blocks;  // by slot: thread_blocks.hpp; nullptr if the thread has none
};

// Distance from the reserve's lowest byte to the thread pointer. Constant once the host's main has begun.
extern std::ptrdiff_t host_block_size;

inline std::byte* thread_pointer() noexcept
{
  std::byte* pointer;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

inline HostThread& host_thread() noexcept
{
  return *reinterpret_cast<HostThread*>(thread_pointer() - host_block_size);
}

// The rank that the calling thread belongs to; nullptr in threads of the host. Two instructions.
inline ProcessState* current_process() noexcept
{
  return host_thread().process;
}

struct StorageNeed {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

// What programs can use in this executable: no bytes if it cannot hold programs, as it has thread_local
// variables of its own.
StorageNeed thread_storage_capacity() noexcept;

// Makes sure that `need` of thread storage is available. If the reserve is too small, executes the host again
// with a larger one, with the same arguments and environment, and does not return. Call it before any thread
// is made. Throws Error if that fails.
void ensure_thread_storage(StorageNeed need, char* const argv[]);

// To be called first in the host's main: undoes what a second execution changed in the environment.
void restore_host_environment();

}  // namespace ranklet::loader
