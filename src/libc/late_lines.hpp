// Shows the partial lines whose end does not come: prompts and dots of progress.
//
// Output of ranks is held until its line is complete (output.hpp), so that lines of ranks do not mix.
// But a program that has written a part of a line meant it to be seen. What has lain for some time is shown
// by a thread of this object, which is started when first needed.
//
// Thread safety: expect() from any thread. Lock order: assembler, then this.
#pragma once

#include <chrono>
#include <condition_variable>
#include <thread>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

class LineAssembler;

class LateLines {
 public:
  // A partial line is shown when it is so old, or up to twice that.
  explicit LateLines(std::chrono::milliseconds patience) : patience_(patience) {}
  ~LateLines();
  LateLines(const LateLines&) = delete;
  LateLines& operator=(const LateLines&) = delete;

  // The assembler has begun a partial line. Once until LineAssembler::show_late() was called.
  void expect(LineAssembler& assembler);
  // It begins no more, and will not be touched when this returns.
  void forget(LineAssembler& assembler);

 private:
  void run();

  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable looked_;
  std::vector<LineAssembler*> expected_ RANKLET_GUARDED_BY(mutex_);
  bool looking_ RANKLET_GUARDED_BY(mutex_) = false;  // at some of them, without the lock
  bool stop_ RANKLET_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // started under the lock, joined when nobody else is there
};

}  // namespace ranklet::loader
