#include "io/file_request.hpp"

#include <new>

namespace ranklet::io {

FileRequest::FileRequest(File& file, const AccessCall& call)
    : Request(file.self()), file_(&file), shared_(file.shared_part()), work_(file, call)
{
}

void FileRequest::activate(std::shared_ptr<Gathering> gathering)
{
  gathering_ = std::move(gathering);
  active_ = true;
  file_->outstanding.add(1);
}

void FileRequest::convert() noexcept
{
  try {
    work_.convert();
  } catch (const Error& error) {
    work_.refuse(error);
  } catch (const std::bad_alloc&) {
    work_.refuse(Error(ErrorClass::no_mem, "no memory left"));
  }
}

void FileRequest::settle() noexcept
{
  if (work_.converts_by_callback()) {
    Rank& owner = *owner_;
    moved_.set();
    owner.parking.notify();
    return;
  }
  convert();
  finish();
}

bool FileRequest::advance()
{
  if (complete()) return true;
  if (gathering_) gathering_->help();
  if (moved_.is_set() && !complete() && current_rank() == owner_) {
    convert();
    finish();
  }
  return complete();
}

bool FileRequest::ready_to_advance() const noexcept
{
  return moved_.is_set() || (gathering_ && gathering_->has_work());
}

ErrorClass FileRequest::reap(Status* status)
{
  if (status) work_.fill(*status);
  active_ = false;
  file_->outstanding.add(-1);
  if (!work_.failed()) return ErrorClass::success;
  const Error error = work_.error(shared_->path);
  error_message_ = error.message();
  return error.error_class();
}

void FileRequest::check_may_be_let_go() const
{
  if (gathering_) fail(ErrorClass::request, "a collective access cannot be let go of (MPI 5.0 §14.4.1)");
}

}  // namespace ranklet::io
