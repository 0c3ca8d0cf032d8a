// The bytes of one rank's stream, until they are lines.
#include <cerrno>
#include <cstring>

#include "libc/output.hpp"

namespace ranklet::loader {

LineAssembler::LineAssembler(OutputDevice& device, std::string prefix, bool timestamp, LateLines* late)
    : device_(&device), prefix_(std::move(prefix)), timestamp_(timestamp), late_(late)
{
}

int LineAssembler::emit(std::string_view bytes)
{
  return device_->emit(this, bytes, prefix_, timestamp_);
}

// Adds to the partial line.
int LineAssembler::keep(std::string_view bytes)
{
  if (bytes.empty()) return 0;
  if (partial_.empty()) begun_ = std::chrono::steady_clock::now();
  partial_.append(bytes);
  if (partial_.size() >= longest_partial) {
    const int error = emit(partial_);
    partial_ = {};
    return error;
  }
  if (!expected_) {
    expected_ = true;
    late_->expect(*this);
  }
  return 0;
}

ssize_t LineAssembler::append(const char* bytes, std::size_t size)
{
  if (size == 0) return 0;
  const Holder guard(mutex_);
  const void* newline = ::memrchr(bytes, '\n', size);
  std::size_t complete =
      newline == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes) + 1;
  if (late_ == nullptr) complete = size;
  int error = 0;
  if (complete != 0) {
    if (partial_.empty()) {
      error = emit({bytes, complete});
    } else {
      partial_.append(bytes, complete);
      error = emit(partial_);
      partial_.clear();
    }
  }
  if (const int later = keep({bytes + complete, size - complete}); error == 0) error = later;
  if (error == 0) return static_cast<ssize_t>(size);
  errno = error;
  return -1;
}

void LineAssembler::flush_to_terminal()
{
  if (device_->is_terminal()) flush();
}

void LineAssembler::flush()
{
  const Holder guard(mutex_);
  if (partial_.empty()) return;
  emit(partial_);
  partial_.clear();
}

bool LineAssembler::is_free(Patience& patience) noexcept
{
  const auto can_be_locked = [](Mutex& mutex) {
    const bool locked = mutex.try_lock();
    if (locked) mutex.unlock();
    return locked;
  };
  return patience.until([&] { return can_be_locked(mutex_) && can_be_locked(device_->mutex_); });
}

bool LineAssembler::show_late(std::chrono::milliseconds age)
{
  const Holder guard(mutex_);
  if (!partial_.empty()) {
    if (std::chrono::steady_clock::now() - begun_ < age) return false;
    emit(partial_);
    partial_.clear();
  }
  expected_ = false;
  return true;
}

}  // namespace ranklet::loader
