#include "launch/repeated_input.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

void close_if_open(int& descriptor)
{
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

int no_input()
{
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace

RepeatedInput::RepeatedInput()
{
  struct stat input {};
  is_file_ = ::fstat(STDIN_FILENO, &input) == 0 && (S_ISREG(input.st_mode) || S_ISBLK(input.st_mode));
  if (is_file_) offset_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
}

RepeatedInput::~RepeatedInput()
{
  close_if_open(current_);
  close_pipe();
}

int RepeatedInput::next(Supervisor& supervisor)
{
  close_if_open(current_);
  close_pipe();
  if (is_file_)
    current_ = open_file();
  else if (!std::exchange(begun_, true))
    current_ = open_pipe(supervisor);
  else {
    current_ = ::memfd_create("ranklet-input", MFD_CLOEXEC);
    for (std::string_view rest = text_; !rest.empty();) {
      const ssize_t done = ::write(current_, rest.data(), rest.size());
      if (done < 0) fail(ErrorClass::no_mem, "no room for the input: %s", std::strerror(errno));
      rest.remove_prefix(static_cast<std::size_t>(done));
    }
    ::lseek(current_, 0, SEEK_SET);
  }
  return current_;
}

int RepeatedInput::open_file() const
{
  const int file = ::open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
  if (file < 0) return no_input();  // one that may not be opened again
  ::lseek(file, offset_, SEEK_SET);
  return file;
}

int RepeatedInput::open_pipe(Supervisor& supervisor)
{
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(ErrorClass::no_mem, "no pipe: %s", std::strerror(errno));
  pipe_ = ends[1];
  ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
  supervisor.add_file(STDIN_FILENO, POLLIN, Supervisor::FileKind::other,
                      [this, &supervisor](short) { return read_more(supervisor); });
  return ends[0];
}

bool RepeatedInput::read_more(Supervisor& supervisor)
{
  char bytes[65536];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got > 0) text_.append(bytes, static_cast<std::size_t>(got));
  at_end_ = got <= 0;
  if (pipe_ >= 0)
    supervisor.add_file(pipe_, POLLOUT, Supervisor::FileKind::other, [this](short) { return write_more(); });
  return !at_end_;
}

bool RepeatedInput::write_more()
{
  if (written_ < text_.size()) {
    const ssize_t done = ::write(pipe_, text_.data() + written_, text_.size() - written_);
    if (done > 0) {
      written_ += static_cast<std::size_t>(done);
    } else if (errno != EAGAIN && errno != EINTR) {
      close_pipe();  // nobody reads
      return false;
    }
  }
  if (written_ < text_.size()) return true;
  if (at_end_) close_pipe();
  return false;
}

void RepeatedInput::close_pipe()
{
  close_if_open(pipe_);
}

}  // namespace ranklet::launch
