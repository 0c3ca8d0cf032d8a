// Fibers for the scheduler of this folder: stacks of their own inside one thread, switched by hand, known to
// the sanitizers.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#if defined(__has_feature)
#define RANKLET_HAS_FEATURE(x) __has_feature(x)
#else
#define RANKLET_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || RANKLET_HAS_FEATURE(address_sanitizer)
#define RANKLET_FIBER_ASAN 1
#include <sanitizer/asan_interface.h>
#endif
#if defined(__SANITIZE_THREAD__) || RANKLET_HAS_FEATURE(thread_sanitizer)
#define RANKLET_FIBER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

namespace ranklet::explore {

// The calls that tell a sanitizer about a switch; they do nothing in other builds.
namespace sanitizer {

struct Place {
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* tsan = nullptr;
};

#if defined(RANKLET_FIBER_ASAN)
inline void forget_stack(void* bottom, std::size_t size)
{
  __asan_unpoison_memory_region(bottom, size);
}
inline void leave(void** fake, const Place& to)
{
  __sanitizer_start_switch_fiber(fake, to.bottom, to.size);
}
inline void arrive(void* fake, Place* from)
{
  __sanitizer_finish_switch_fiber(fake, from ? &from->bottom : nullptr, from ? &from->size : nullptr);
}
#elif defined(RANKLET_FIBER_TSAN)
inline void forget_stack(void*, std::size_t) {}
inline void leave(void**, const Place& to)
{
  __tsan_switch_to_fiber(to.tsan, 0);
}
inline void arrive(void*, Place*) {}
#else
inline void forget_stack(void*, std::size_t) {}
inline void leave(void**, const Place&) {}
inline void arrive(void*, Place*) {}
#endif

#if defined(RANKLET_FIBER_TSAN)
inline void* this_fiber()
{
  return __tsan_get_current_fiber();
}
inline void* make_fiber()
{
  return __tsan_create_fiber(0);
}
inline void destroy_fiber(void* fiber)
{
  if (fiber) __tsan_destroy_fiber(fiber);
}
#else
inline void* this_fiber()
{
  return nullptr;
}
inline void* make_fiber()
{
  return nullptr;
}
inline void destroy_fiber(void*) {}
#endif

}  // namespace sanitizer

// One fiber that may be started again and again; what a former run left on the stack is dropped without
// destructors, so bodies that may be abandoned own nothing there.
class Fiber {
 public:
  Fiber() : stack_(std::make_unique<std::byte[]>(stack_size)) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() { sanitizer::destroy_fiber(here_.tsan); }

  // The next resume() enters body from its beginning.
  void start(std::function<void()> body)
  {
    body_ = std::move(body);
    sanitizer::forget_stack(stack_.get(), stack_size);
    sanitizer::destroy_fiber(here_.tsan);
    here_ = {stack_.get(), stack_size, sanitizer::make_fiber()};
    fake_ = nullptr;
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.get();
    inside_.uc_stack.ss_size = stack_size;
    inside_.uc_link = nullptr;
    makecontext(&inside_, &Fiber::enter, 0);
  }

  // Outside: runs the fiber until its next suspend() or its end.
  void resume()
  {
    entering() = this;
    outer_.tsan = sanitizer::this_fiber();
    void* fake = nullptr;
    sanitizer::leave(&fake, here_);
    swapcontext(&outside_, &inside_);
    sanitizer::arrive(fake, nullptr);
  }

  // Inside: back to who called resume().
  void suspend()
  {
    sanitizer::leave(&fake_, outer_);
    swapcontext(&inside_, &outside_);
    sanitizer::arrive(fake_, &outer_);
  }

 private:
  static constexpr std::size_t stack_size = 128 * 1024;

  static Fiber*& entering()
  {
    static Fiber* fiber = nullptr;
    return fiber;
  }

  static void enter()
  {
    Fiber& self = *entering();
    sanitizer::arrive(nullptr, &self.outer_);
    self.body_();
    for (;;) self.suspend();
  }

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  ucontext_t inside_{};
  ucontext_t outside_{};
  sanitizer::Place here_;
  sanitizer::Place outer_;
  void* fake_ = nullptr;
};

}  // namespace ranklet::explore
