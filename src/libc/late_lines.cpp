#include "libc/late_lines.hpp"

#include <system_error>

#include "base/signal_mask.hpp"
#include "libc/output.hpp"

namespace ranklet::loader {

LateLines::~LateLines()
{
  {
    const Holder guard(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LateLines::expect(LineAssembler& assembler)
{
  const Holder guard(mutex_);
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
  MutexHolder lock(mutex_);
  while (looking_) lock.wait(looked_);
  std::erase(expected_, &assembler);
}

void LateLines::run()
{
  MutexHolder lock(mutex_);
  std::vector<LineAssembler*> looked_at;
  while (true) {
    while (!stop_ && expected_.empty()) lock.wait(changed_);
    const auto end = std::chrono::steady_clock::now() + patience_;
    while (!stop_ && lock.wait_until(changed_, end) == std::cv_status::no_timeout) {
    }
    if (stop_) return;
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
