#include "libc/descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ranklet::loader {

Descriptors::Descriptors(int seat, JobOutput& output, JobInput& input)
    : seat_(seat),
      streams_{&output.assembler(seat, Stream::out), &output.assembler(seat, Stream::err)},
      input_(input),
      standard_{Target{Kind::input}, Target{Kind::out}, Target{Kind::err}}
{
}

Descriptors::~Descriptors()
{
  for (const Target& target : standard_)
    if (target.kind == Kind::real) ::close(target.real);
}

bool Descriptors::find_alias(int descriptor) const
{
  const Holder guard(mutex_);
  return aliases_.contains(descriptor);
}

Descriptors::Target Descriptors::target_of(int descriptor) const
{
  const Holder guard(mutex_);
  if (descriptor >= 0 && descriptor <= 2) return standard_[static_cast<std::size_t>(descriptor)];
  const auto alias = aliases_.find(descriptor);
  return alias == aliases_.end() ? Target{Kind::real, descriptor} : alias->second;
}

void Descriptors::set(int descriptor, Target target)
{
  const Holder guard(mutex_);
  if (descriptor >= 0 && descriptor <= 2) {
    Target& place = standard_[static_cast<std::size_t>(descriptor)];
    if (place.kind == Kind::real) ::close(place.real);
    place = target;
    close_on_exec_[static_cast<std::size_t>(descriptor)] = false;
  } else {
    const auto old = aliases_.find(descriptor);
    if (old != aliases_.end() && old->second.kind == Kind::real) ::close(old->second.real);
    if (target.kind == Kind::closed || (target.kind == Kind::real && target.real == descriptor))
      aliases_.erase(descriptor);
    else
      aliases_[descriptor] = target;
  }
  // release pairs with the acquire in owns().
  has_aliases_.store(!aliases_.empty(), std::memory_order_release);
}

LineAssembler& Descriptors::assembler(Kind kind) const noexcept
{
  return *streams_[static_cast<std::size_t>(kind == Kind::err ? Stream::err : Stream::out)];
}

ssize_t Descriptors::write(int descriptor, const void* bytes, std::size_t size)
{
  const Target target = target_of(descriptor);
  switch (target.kind) {
    case Kind::out:
    case Kind::err:
      return assembler(target.kind).append(static_cast<const char*>(bytes), size);
    case Kind::real:
      return ::write(target.real, bytes, size);
    case Kind::input:
    case Kind::closed:
      break;
  }
  errno = EBADF;
  return -1;
}

ssize_t Descriptors::read(int descriptor, void* bytes, std::size_t size)
{
  const Target target = target_of(descriptor);
  switch (target.kind) {
    case Kind::input:
      flush_lines();  // a prompt must be seen before its answer is awaited
      return input_.read(seat_, bytes, size);
    case Kind::real:
      return ::read(target.real, bytes, size);
    case Kind::out:
    case Kind::err:  // a terminal may be read through any of the three
      if (input_.reaches(seat_)) return ::read(assembler(target.kind).device().descriptor(), bytes, size);
      return 0;
    case Kind::closed:
      break;
  }
  errno = EBADF;
  return -1;
}

off_t Descriptors::seek(int descriptor, off_t offset, int whence)
{
  const Target target = target_of(descriptor);
  if (target.kind == Kind::real) return ::lseek(target.real, offset, whence);
  if (target.kind == Kind::input) return input_.seek(seat_, offset, whence);
  errno = target.kind == Kind::closed ? EBADF : ESPIPE;
  return -1;
}

int Descriptors::close(int descriptor)
{
  const Target target = target_of(descriptor);
  if (target.kind == Kind::closed) {
    errno = EBADF;
    return -1;
  }
  set(descriptor, Target{});
  const bool was_elsewhere = target.kind == Kind::real && target.real != descriptor;
  return descriptor <= 2 || was_elsewhere ? 0 : ::close(descriptor);
}

// A target of its own, as the descriptor it is taken from may be closed.
Descriptors::Target Descriptors::copy_of(Target target) const
{
  if (target.kind != Kind::real) return target;
  const int copy = ::fcntl(target.real, F_DUPFD_CLOEXEC, 3);
  return copy < 0 ? Target{} : Target{Kind::real, copy};
}

int Descriptors::duplicate(int descriptor)
{
  return control(descriptor, F_DUPFD, 0);
}

int Descriptors::lowest_closed() const
{
  const Holder guard(mutex_);
  for (int i = 0; i <= 2; ++i)
    if (standard_[static_cast<std::size_t>(i)].kind == Kind::closed) return i;
  return -1;
}

bool Descriptors::closes_on_exec(int descriptor) const
{
  const Holder guard(mutex_);
  return close_on_exec_[static_cast<std::size_t>(descriptor)];
}

void Descriptors::set_close_on_exec(int descriptor, bool closes)
{
  const Holder guard(mutex_);
  close_on_exec_[static_cast<std::size_t>(descriptor)] = closes;
}

int Descriptors::duplicate_above(int descriptor, int command, long minimum)
{
  const int low = lowest_closed();
  if (minimum <= low) {
    if (duplicate_to(descriptor, low, 0) < 0) return -1;
    set_close_on_exec(low, command == F_DUPFD_CLOEXEC);
    return low;
  }
  // The number comes from the kernel, also for an assembler: a child process can then use it.
  const Target target = target_of(descriptor);
  const int copy = ::fcntl(real_descriptor(descriptor), command, std::max(minimum, 3L));
  if (copy >= 0 && target.kind != Kind::real) set(copy, target);
  return copy;
}

int Descriptors::control(int descriptor, int command, long argument)
{
  const Target target = target_of(descriptor);
  if (target.kind == Kind::closed) {
    errno = EBADF;
    return -1;
  }
  const bool is_standard = descriptor <= 2;
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return duplicate_above(descriptor, command, argument);
    case F_GETFD:
      if (is_standard) return closes_on_exec(descriptor) ? FD_CLOEXEC : 0;
      break;
    case F_SETFD:
      if (is_standard) {
        set_close_on_exec(descriptor, (argument & FD_CLOEXEC) != 0);
        return 0;
      }
      break;
    case F_SETFL:
      // O_NONBLOCK would be the job's: all ranks write to the stream, and who reads it is the host.
      if (target.kind == Kind::out || target.kind == Kind::err) return 0;
      if (target.kind == Kind::input && !input_.is_only_for(seat_)) return 0;
      break;
    default:
      break;
  }
  // An assembler's alias is a descriptor of the kernel's as well, with flags of its own.
  return ::fcntl(is_standard || target.kind == Kind::real ? real_descriptor(descriptor) : descriptor, command,
                 argument);
}

bool Descriptors::is_ready(int descriptor) const
{
  return target_of(descriptor).kind == Kind::input && input_.is_ready(seat_);
}

bool Descriptors::is_stream(int descriptor) const
{
  const Kind kind = target_of(descriptor).kind;
  return kind == Kind::out || kind == Kind::err;
}

int Descriptors::settle(int descriptor, bool close_on_exec)
{
  if (descriptor < 3 || detached_) return descriptor;
  const int low = lowest_closed();
  if (low < 0) return descriptor;
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);  // under its own number it is nobody's
  set(low, Target{Kind::real, descriptor});
  set_close_on_exec(low, close_on_exec);
  return low;
}

int Descriptors::duplicate_to(int from, int to, int flags)
{
  const Target target = target_of(from);
  if (target.kind == Kind::closed || to < 0) {
    errno = EBADF;
    return -1;
  }
  if (from == to) {
    if (flags == 0) return to;
    errno = EINVAL;  // dup3(2)
    return -1;
  }
  if (to <= 2) {
    const Target copy = copy_of(target);
    if (copy.kind == Kind::closed) return -1;
    set(to, copy);
    return to;
  }
  const int real = real_descriptor(from);
  if ((flags == 0 ? ::dup2(real, to) : ::dup3(real, to, flags)) < 0) return -1;
  // The kernel's descriptor of that number is now the right one, unless it is an assembler's.
  set(to, target.kind == Kind::real ? Target{Kind::real, to} : target);
  return to;
}

void Descriptors::redirect(int descriptor, int real)
{
  set(descriptor, Target{Kind::real, real});
}

int Descriptors::real_descriptor(int descriptor) const
{
  const Target target = target_of(descriptor);
  switch (target.kind) {
    case Kind::input:
      return input_.descriptor();
    case Kind::out:
    case Kind::err:
      return assembler(target.kind).device().descriptor();
    case Kind::real:
      return target.real;
    case Kind::closed:
      break;
  }
  return -1;
}

void Descriptors::flush_to_terminal(int descriptor)
{
  const Target target = target_of(descriptor);
  if (target.kind == Kind::out) assembler(target.kind).flush_to_terminal();
}

bool Descriptors::are_streams_free(Patience& patience) const noexcept
{
  return std::ranges::all_of(streams_, [&](LineAssembler* stream) { return stream->is_free(patience); });
}

void Descriptors::flush_lines()
{
  assembler(Kind::out).flush();
  assembler(Kind::err).flush();
}

void Descriptors::finish()
{
  flush_lines();
  if (!detached_) input_.leave(seat_);
}

}  // namespace ranklet::loader
