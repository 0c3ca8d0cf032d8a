// Thread-local storage of libraries that a program opens with dlopen: as much as they want.
//
// Only code of the static models (initial-exec) needs variables at a fixed distance from the thread pointer,
// which the host's reserve has few of (thread_storage.hpp). A library that is opened later and asks where its
// variables are (general- and local-dynamic model, TLS descriptors) has a block of its own in each thread.
//
// Blocks are made when the library is opened, for all threads of the rank, and when a thread starts, so that
// an access allocates nothing and is two loads. They stay when the library is closed, as destructors of its
// thread_local objects may still be to come, and are used again when it is opened again. They go after the
// thread's last destructor of a pthread key: such destructors may use them.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "loader/module.hpp"
#include "process/thread_storage.hpp"

namespace ranklet::loader {

// The blocks of one thread. Changed by the thread itself or under its process's threads_mutex.
class ThreadBlocks {
 public:
  // Those of the calling thread, made at the first call; they end with the thread.
  static ThreadBlocks& of_this_thread();

  // Gives the thread the module's initial values. initial: where the rank has the module's segment PT_TLS.
  // Throws Error (no_mem).
  void add(const Module& module, const std::byte* initial);

 private:
  explicit ThreadBlocks(HostThread& thread) : thread_(thread) {}
  ~ThreadBlocks();
  static pthread_key_t key();
  static void end(void* blocks);

  struct Memory {
    void* address;
    std::size_t mapped;  // bytes; 0: from the heap
  };
  std::byte* allocate(const Elf64_Phdr& segment);
  void make_room(std::size_t slot);

  HostThread& thread_;
  int rounds_ = 0;  // of the thread's key destructors
  std::size_t capacity_ = 0;
  // The last one is in use; the thread itself may be reading an older one.
  std::vector<std::unique_ptr<std::byte*[]>> tables_;
  std::vector<Memory> memory_;
};

// The calling thread's block of a module with dynamic_storage.
std::byte* thread_block(const Module& module);

// What relocations put into a library for such a module: the first word of a tls_index, which
// rank_tls_get_addr understands.
std::uint64_t tls_module_word(const Module& module);
// __tls_get_addr for libraries that were opened later.
void* tls_get_addr_function();
// The resolver of TLS descriptors; its argument is a DescriptorArgument.
void* tls_descriptor_function();

}  // namespace ranklet::loader
