// Fibers for the scheduler of this folder: stacks of their own inside one thread, switched by hand. They are
// not made known to the sanitizers, so the walks are not built with those.
#pragma once

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
  Fiber() : stack_(std::make_unique<std::byte[]>(stack_size)) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next resume() enters body from its beginning.
  void start(std::function<void()> body)
  {
    body_ = std::move(body);
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
    swapcontext(&outside_, &inside_);
  }

  // Inside: back to who called resume().
  void suspend() { swapcontext(&inside_, &outside_); }

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
    self.body_();
    for (;;) self.suspend();
  }

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  ucontext_t inside_{};
  ucontext_t outside_{};
};

}  // namespace ranklet::explore
