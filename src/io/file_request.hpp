// The request of a nonblocking access, and of a split one.
#pragma once

#include "io/gathering.hpp"
#include "ranks/request.hpp"

namespace ranklet::io {

// Completed by the thread that moves the data; where the representation has conversion functions of the
// program, by the owner's threads.
class FileRequest final : public Request {
 public:
  FileRequest(File& file, const AccessCall& call);

  File& file() const noexcept { return *file_; }
  Work& work() noexcept { return work_; }
  // Before the request is handed out.
  void activate(std::shared_ptr<Gathering> gathering = nullptr);
  // The data has been moved, or will not be. By any thread; the request may be gone when this returns.
  void settle() noexcept;

  bool advance() override;
  bool ready_to_advance() const noexcept override;
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override { work_.fill(*status); }
  void check_may_be_let_go() const override;
  void release() override { delete this; }

 private:
  void convert() noexcept;

  File* const file_;
  const std::shared_ptr<FileShared> shared_;
  Work work_;
  std::shared_ptr<Gathering> gathering_;  // null: the access is not collective
  memmodel::Flag<> moved_;
};

}  // namespace ranklet::io
