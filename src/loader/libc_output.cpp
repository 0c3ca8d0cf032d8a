#include "loader/libc_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

#include "base/error.hpp"

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

bool same_file(int a, int b)
{
  struct stat left, right;
  return ::fstat(a, &left) == 0 && ::fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
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

// In a signal handler: a lock that its owner will never release must not stop the report.
bool lock_within_a_moment(std::mutex& mutex) noexcept
{
  for (int attempt = 0; attempt < 2000; ++attempt) {
    if (mutex.try_lock()) return true;
    ::sched_yield();
  }
  return false;
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

int OutputDevice::emit(const void* writer, std::string_view bytes, std::string_view prefix, bool timestamp)
{
  if (bytes.empty()) return 0;
  const std::lock_guard guard(mutex_);
  const bool break_line = open_line_ != nullptr && open_line_ != writer;
  const bool continues = open_line_ == writer;
  open_line_ = bytes.back() == '\n' ? nullptr : writer;
  if (!break_line && prefix.empty() && !timestamp) return write_fully(descriptor_, bytes);

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
  return write_fully(descriptor_, scratch_);
}

LineAssembler::LineAssembler(OutputDevice& device, std::string prefix, bool timestamp,
                             bool hold_partial_lines)
    : device_(&device),
      prefix_(std::move(prefix)),
      timestamp_(timestamp),
      hold_partial_lines_(hold_partial_lines)
{
}

int LineAssembler::emit(std::string_view bytes)
{
  return device_->emit(this, bytes, prefix_, timestamp_);
}

ssize_t LineAssembler::append(const char* bytes, std::size_t size)
{
  if (size == 0) return 0;
  const std::lock_guard guard(mutex_);
  const void* newline = ::memrchr(bytes, '\n', size);
  std::size_t complete =
      newline == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes) + 1;
  if (!hold_partial_lines_) complete = size;
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
  partial_.append(bytes + complete, size - complete);
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
  const std::lock_guard guard(mutex_);
  if (partial_.empty()) return;
  emit(partial_);
  partial_.clear();
}

JobOutput::JobOutput(const std::vector<RankOutputSettings>& ranks, int out_descriptor, int err_descriptor)
    : out_(std::make_unique<OutputDevice>(out_descriptor, false))
{
  if (!same_file(out_descriptor, err_descriptor))
    err_ = std::make_unique<OutputDevice>(err_descriptor, false);
  for (const RankOutputSettings& rank : ranks) {
    for (int stream = 0; stream < 2; ++stream) {
      const std::size_t from = rank.error_to_output ? 0 : static_cast<std::size_t>(stream);
      OutputDevice* device = from == 1 && err_ != nullptr ? err_.get() : out_.get();
      if (!rank.file[from].empty()) device = &open_device(rank.file[from]);
      assemblers_.push_back(std::make_unique<LineAssembler>(
          *device, rank.prefix[static_cast<std::size_t>(stream)], rank.timestamp, ranks.size() > 1));
    }
  }
}

JobOutput::~JobOutput()
{
  flush();
}

OutputDevice& JobOutput::open_device(const std::string& path)
{
  for (auto& [name, device] : files_)
    if (name == path) return *device;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const ErrorClass reason = errno == ENOENT   ? ErrorClass::no_such_file
                              : errno == EACCES ? ErrorClass::access
                                                : ErrorClass::file;
    fail(reason, "cannot create the output file %s: %s", path.c_str(), std::strerror(errno));
  }
  files_.emplace_back(path, std::make_unique<OutputDevice>(descriptor, true));
  return *files_.back().second;
}

LineAssembler& JobOutput::assembler(int rank, Stream stream) noexcept
{
  return *assemblers_[static_cast<std::size_t>(rank) * 2 + static_cast<std::size_t>(stream)];
}

void JobOutput::note(std::string_view lines)
{
  (err_ != nullptr ? *err_ : *out_).emit(this, lines, {}, false);
}

void JobOutput::note_once(std::string_view lines)
{
  std::call_once(noted_, [&] { note(lines); });
}

void JobOutput::flush()
{
  for (auto& assembler : assemblers_) assembler->flush();
}

void JobOutput::flush_after_crash() noexcept
{
  for (auto& assembler : assemblers_) {
    if (!lock_within_a_moment(assembler->mutex_)) continue;
    std::string_view rest = assembler->partial_;
    OutputDevice& device = *assembler->device_;
    if (!rest.empty() && lock_within_a_moment(device.mutex_)) {
      // Straight to the descriptor: the memory for a batch with prefixes may not be available any more.
      if (device.open_line_ != nullptr && device.open_line_ != assembler.get())
        write_fully(device.descriptor_, "\n");
      if (device.open_line_ != assembler.get()) write_fully(device.descriptor_, assembler->prefix_);
      write_fully(device.descriptor_, rest);
      device.open_line_ = assembler.get();
      device.mutex_.unlock();
      assembler->partial_.clear();
    }
    assembler->mutex_.unlock();
  }
}

std::unique_lock<std::mutex> JobOutput::hold_notes() noexcept
{
  OutputDevice& device = err_ != nullptr ? *err_ : *out_;
  std::unique_lock<std::mutex> lock;
  if (lock_within_a_moment(device.mutex_)) lock = std::unique_lock(device.mutex_, std::adopt_lock);
  if (device.open_line_ != nullptr) write_fully(device.descriptor_, "\n");
  device.open_line_ = nullptr;
  return lock;
}

void JobOutput::reset_in_child() noexcept
{
  // Threads of the parent may have held the locks; here no thread will release them.
  const auto renew = [](OutputDevice* device) {
    if (device != nullptr) new (&device->mutex_) std::mutex;
  };
  renew(out_.get());
  renew(err_.get());
  for (auto& [path, device] : files_) renew(device.get());
  for (auto& assembler : assemblers_) {
    new (&assembler->mutex_) std::mutex;
    assembler->hold_partial_lines_ = false;
    // If a thread was appending, the string may be half changed: leave it, and start with a new one.
    new (&assembler->partial_) std::string;
  }
}

}  // namespace ranklet::loader
