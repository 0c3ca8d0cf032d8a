// Fibers for the scheduler of this folder: stacks of their own inside one thread, switched by hand. They are
// not made known to the sanitizers, so the walks are not built with those.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace ranklet::explore {

// One fiber that may be started again and again; what a former run left on the stack is dropped without
// destructors, so bodies that may be abandoned own nothing there.
class Fiber {
 public:
  Fiber() : stack_(std::make_unique<std::byte[]>(stack_size))
  {
    getcontext(&first_);
    first_.uc_stack.ss_sp = stack_.get();
    first_.uc_stack.ss_size = stack_size;
    first_.uc_link = nullptr;
    makecontext(&first_, &Fiber::enter, 0);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next resume() enters body from its beginning.
  void start(std::function<void()> body)
  {
    body_ = std::move(body);
    starts_ = true;
  }

  // Outside: runs the fiber until its next suspend() or its end. A switch of contexts is two system calls, for
  // the signal mask; so only the first one is.
  void resume()
  {
    if (_setjmp(outside_) != 0) return;
    if (!std::exchange(starts_, false)) _longjmp(inside_, 1);
    if (std::exchange(has_base_, true)) _longjmp(base_, 1);
    entering() = this;
    setcontext(&first_);
  }

  // Inside: back to who called resume().
  void suspend()
  {
    if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
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
    _setjmp(self.base_);  // this frame stays, whatever is on the stack above it
    self.body_();
    for (;;) self.suspend();
  }

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  bool starts_ = false, has_base_ = false;
  ucontext_t first_{};
  jmp_buf base_, inside_, outside_;
};

}  // namespace ranklet::explore
