#include "libc/late_lines.hpp"

#include <system_error>

#include "base/signal_mask.hpp"
#include "libc/output.hpp"

namespace ranklet::loader {

LateLines::~LateLines()
{
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LateLines::expect(LineAssembler& assembler)
{
  const std::lock_guard guard(mutex_);
  expected_.push_back(&assembler);
  changed_.notify_all();
  if (thread_.joinable()) return;
  // It belongs to no rank: it must not take their signals.
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // No thread can be made any more: such lines then wait for their end.
  }
}

void LateLines::forget(LineAssembler& assembler)
{
  std::unique_lock lock(mutex_);
  looked_.wait(lock, [this] { return !looking_; });
  std::erase(expected_, &assembler);
}

void LateLines::run()
{
  std::unique_lock lock(mutex_);
  std::vector<LineAssembler*> looked_at;
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !expected_.empty(); });
    if (changed_.wait_for(lock, patience_, [this] { return stop_; })) return;
    looked_at.swap(expected_);
    looking_ = true;
    lock.unlock();
    std::erase_if(looked_at, [this](LineAssembler* assembler) { return assembler->show_late(patience_); });
    lock.lock();
    expected_.insert(expected_.end(), looked_at.begin(), looked_at.end());
    looked_at.clear();
    looking_ = false;
    looked_.notify_all();
  }
}

}  // namespace ranklet::loader
