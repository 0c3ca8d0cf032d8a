// Waiting for descriptors: what the ranks know as 0 to 2 has other numbers for the kernel.

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "libc/owned_descriptors.hpp"

namespace ranklet::loader {

namespace {

int rank_epoll_ctl(int poller, int operation, int descriptor, epoll_event* event)
{
  return ::epoll_ctl(poller, operation, real_of(descriptor), event);
}

// Waits for the kernel's descriptors; those that are ready for the rank in any case end the wait at once.
int poll_real(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t* mask)
{
  constexpr timespec at_once{0, 0};
  std::vector<pollfd> real(entries, entries + count);
  std::vector<bool> ready(count);
  for (nfds_t i = 0; i < count; ++i) {
    Descriptors* const owner = entries[i].fd < 0 ? nullptr : owner_of(entries[i].fd);
    if (owner == nullptr) continue;
    const int descriptor = owner->real_descriptor(entries[i].fd);
    ready[i] = owner->is_ready(entries[i].fd) && (entries[i].events & (POLLIN | POLLRDNORM)) != 0;
    // A number that is not open, for which the answer is POLLNVAL.
    real[i].fd = ready[i] ? -1 : descriptor >= 0 ? descriptor : INT_MAX;
    if (ready[i]) timeout = &at_once;
  }
  if (LibcState* const state = mask == nullptr ? nullptr : current_libc())
    state->signals.take_over(*mask, true);
  int result = ::ppoll(real.data(), count, timeout, mask);
  if (result < 0) return result;
  for (nfds_t i = 0; i < count; ++i) {
    entries[i].revents =
        ready[i] ? static_cast<short>(entries[i].events & (POLLIN | POLLRDNORM)) : real[i].revents;
    if (ready[i]) ++result;
  }
  return result;
}

int rank_ppoll(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t* mask)
{
  return current_libc() != nullptr ? poll_real(entries, count, timeout, mask)
                                   : ::ppoll(entries, count, timeout, mask);
}

int rank_poll(pollfd* entries, nfds_t count, int milliseconds)
{
  const timespec timeout{milliseconds / 1000, milliseconds % 1000 * 1000000L};
  return rank_ppoll(entries, count, milliseconds < 0 ? nullptr : &timeout, nullptr);
}

int rank_poll_chk(pollfd* entries, nfds_t count, int milliseconds, std::size_t room)
{
  if (room / sizeof *entries < count) std::abort();
  return rank_poll(entries, count, milliseconds);
}

int rank_ppoll_chk(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t* mask,
                   std::size_t room)
{
  if (room / sizeof *entries < count) std::abort();
  return rank_ppoll(entries, count, timeout, mask);
}

// By way of poll, which has no limit for the kernel's numbers.
int rank_pselect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const timespec* timeout,
                 const sigset_t* mask)
{
  if (current_libc() == nullptr) return ::pselect(count, reads, writes, exceptions, timeout, mask);
  if (count < 0 || count > FD_SETSIZE) {
    errno = EINVAL;
    return -1;
  }
  struct Kind {
    fd_set* set;
    short asked;
    short answered;  // select(2) says which of poll's answers count
  };
  const std::array<Kind, 3> kinds = {{{reads, POLLIN, POLLIN | POLLHUP | POLLERR},
                                      {writes, POLLOUT, POLLOUT | POLLERR},
                                      {exceptions, POLLPRI, POLLPRI}}};
  std::vector<pollfd> entries;
  for (int descriptor = 0; descriptor < count; ++descriptor) {
    short events = 0;
    for (const Kind& kind : kinds)
      if (kind.set != nullptr && FD_ISSET(descriptor, kind.set))
        events = static_cast<short>(events | kind.asked);
    if (events != 0) entries.push_back({descriptor, events, 0});
  }
  if (poll_real(entries.data(), entries.size(), timeout, mask) < 0) return -1;
  for (const pollfd& entry : entries)
    if ((entry.revents & POLLNVAL) != 0) {
      errno = EBADF;
      return -1;
    }
  for (const Kind& kind : kinds)
    if (kind.set != nullptr) FD_ZERO(kind.set);
  int found = 0;
  for (const pollfd& entry : entries)
    for (const Kind& kind : kinds)
      if ((entry.events & kind.asked) != 0 && (entry.revents & kind.answered) != 0) {
        FD_SET(entry.fd, kind.set);
        ++found;
      }
  return found;
}

// Linux leaves in the timeout what was left of it; POSIX lets a caller expect nothing of it.
int rank_select(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, timeval* timeout)
{
  if (current_libc() == nullptr) return ::select(count, reads, writes, exceptions, timeout);
  if (timeout == nullptr) return rank_pselect(count, reads, writes, exceptions, nullptr, nullptr);
  const auto now = [] {
    timespec time;
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
  };
  const long long end = now() + timeout->tv_sec * 1000000LL + timeout->tv_usec;
  const timespec wanted{timeout->tv_sec, timeout->tv_usec * 1000};
  const int result = rank_pselect(count, reads, writes, exceptions, &wanted, nullptr);
  const int error = errno;
  const long long rest = std::max(end - now(), 0LL);
  *timeout = {static_cast<time_t>(rest / 1000000), static_cast<suseconds_t>(rest % 1000000)};
  errno = error;
  return result;
}

const Override descriptor_waiting_table[] = {
    override_with("epoll_ctl", &rank_epoll_ctl), override_with("poll", &rank_poll),
    override_with("__poll", &rank_poll),         override_with("__poll_chk", &rank_poll_chk),
    override_with("ppoll", &rank_ppoll),         override_with("__ppoll_chk", &rank_ppoll_chk),
    override_with("select", &rank_select),       override_with("__select", &rank_select),
    override_with("pselect", &rank_pselect),
};

}  // namespace

std::span<const Override> descriptor_waiting_overrides()
{
  return descriptor_waiting_table;
}

}  // namespace ranklet::loader
