#include "launch/input_pipes.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "terms/error.hpp"

namespace ranklet::launch {

Pipe::Pipe()
{
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(ErrorClass::no_mem, "no pipe: %s", std::strerror(errno));
  read_end = ends[0];
  write_end = ends[1];
}

InputPipes::InputPipes(Supervisor& supervisor, int readers)
    : supervisor_(supervisor), copies_(static_cast<std::size_t>(readers))
{
  watch_input();
}

int InputPipes::add_reader()
{
  const Pipe pipe;
  ::fcntl(pipe.write_end, F_SETFL, O_NONBLOCK);
  descriptors_.push_back(pipe.write_end);
  return pipe.read_end;
}

void InputPipes::watch_input()
{
  watches_ = true;
  supervisor_.add_file(STDIN_FILENO, POLLIN, Supervisor::FileKind::other,
                       [this](short) { return watches_ = read_more(); });
}

bool InputPipes::read_more()
{
  char bytes[65536];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got > 0) copies_.append({bytes, static_cast<std::size_t>(got)});
  at_end_ = got <= 0;
  for (std::size_t reader = 0; reader < descriptors_.size(); ++reader)
    if (descriptors_[reader] >= 0)
      supervisor_.add_file(descriptors_[reader], POLLOUT, Supervisor::FileKind::other,
                           [this, reader](short) { return write_more(reader); });
  return !at_end_ && (copies_.size() < enough || !copies_.nobody_waits());
}

bool InputPipes::write_more(std::size_t reader)
{
  if (const std::string_view text = copies_.next(reader); !text.empty()) {
    const ssize_t done = ::write(descriptors_[reader], text.data(), text.size());
    if (done > 0)
      copies_.advance(reader, static_cast<std::size_t>(done));
    else if (errno != EAGAIN && errno != EINTR)
      return finish(reader);
  }
  if (!copies_.next(reader).empty()) return true;
  if (at_end_) return finish(reader);
  if (!watches_) watch_input();
  return false;
}

bool InputPipes::finish(std::size_t reader)
{
  ::close(descriptors_[reader]);
  descriptors_[reader] = -1;
  copies_.leave(reader);
  if (!at_end_ && !watches_ && !copies_.nobody_waits()) watch_input();
  return false;
}

}  // namespace ranklet::launch
