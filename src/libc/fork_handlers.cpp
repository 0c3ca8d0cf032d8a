#include "libc/fork_handlers.hpp"

#include <pthread.h>

#include <new>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

void ForkHandlers::add(const Entry& entry)
{
  const Holder guard(mutex_);
  entries_.push_back(entry);
}

std::vector<ForkHandlers::Entry> ForkHandlers::all()
{
  const Holder guard(mutex_);
  return entries_;
}

void ForkHandlers::continue_with_this_thread()
{
  new (&mutex_) Mutex;
}

namespace {

// What pthread_atfork(3) calls, which is linked into each object.
int rank_register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* object)
{
  LibcState* const state = current_libc();
  // A thread of the host has no rank to remember it for.
  if (state == nullptr) return ::pthread_atfork(prepare, parent, child);
  state->fork_handlers.add({prepare, parent, child, object});
  return 0;
}

// Programs that were linked against glibc before 2.28 import this name.
int rank_atfork(void (*prepare)(), void (*parent)(), void (*child)())
{
  return rank_register_atfork(prepare, parent, child, nullptr);
}

const Override fork_handler_table[] = {
    override_with("__register_atfork", &rank_register_atfork),
    override_with("pthread_atfork", &rank_atfork),
};

}  // namespace

std::span<const Override> fork_handler_overrides()
{
  return fork_handler_table;
}

}  // namespace ranklet::loader
