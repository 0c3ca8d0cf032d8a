// What a job's output goes to in the end: lines, each whole, and what was lost of them.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "libc/output.hpp"

namespace ranklet::loader {

namespace {

// Writes everything; the descriptor may be a pipe, a terminal, or set to non-blocking by whoever started us.
int write_fully(int descriptor, std::string_view bytes)
{
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait{descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void append_timestamp(std::string& text)
{
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm local;
  ::localtime_r(&now.tv_sec, &local);
  char buffer[80];
  const std::size_t length = std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &local);
  text.append(buffer, length);
  const int rest = std::snprintf(buffer, sizeof buffer, ".%03d ", static_cast<int>(now.tv_nsec / 1000000));
  text.append(buffer, static_cast<std::size_t>(rest));
}

}  // namespace

OutputDevice::OutputDevice(int descriptor, bool owned)
    : descriptor_(descriptor), owned_(owned), terminal_(::isatty(descriptor) == 1)
{
}

OutputDevice::~OutputDevice()
{
  if (owned_) ::close(descriptor_);
}

void OutputDevice::end() noexcept
{
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  const Holder guard(mutex_);
  ::dup3(nothing, descriptor_, O_CLOEXEC);
  ::close(nothing);
}

void OutputDevice::note_loss(int error) noexcept
{
  if (lost_ == 0 && error != EPIPE) lost_ = error;
}

int OutputDevice::write(std::string_view bytes) noexcept
{
  const int error = write_fully(descriptor_, bytes);
  if (error != 0) note_loss(error);
  return error;
}

int OutputDevice::lost() noexcept
{
  const Holder guard(mutex_);
  // Closing any descriptor of a file makes systems that keep its end back write it, and tell what fails.
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 3);
  if (copy >= 0 && ::close(copy) != 0 && errno != EINTR) note_loss(errno);
  return lost_;
}

int OutputDevice::emit(const void* writer, std::string_view bytes, std::string_view prefix, bool timestamp)
{
  if (bytes.empty()) return 0;
  const Holder guard(mutex_);
  const bool break_line = open_line_ != nullptr && open_line_ != writer;
  const bool continues = open_line_ == writer;
  open_line_ = bytes.back() == '\n' ? nullptr : writer;
  if (!break_line && prefix.empty() && !timestamp) return write(bytes);

  scratch_.clear();
  if (break_line) scratch_ += '\n';
  bool at_line_start = !continues;
  while (!bytes.empty()) {
    if (at_line_start) {
      if (timestamp) append_timestamp(scratch_);
      scratch_ += prefix;
    }
    const std::size_t end = bytes.find('\n');
    const std::size_t length = end == std::string_view::npos ? bytes.size() : end + 1;
    scratch_ += bytes.substr(0, length);
    bytes.remove_prefix(length);
    at_line_start = true;
  }
  return write(scratch_);
}

}  // namespace ranklet::loader
