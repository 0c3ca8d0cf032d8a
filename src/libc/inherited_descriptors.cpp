// What descriptors are to processes: a rank begins with those of one, and its children inherit them.
#include <fcntl.h>
#include <unistd.h>

#include <new>
#include <vector>

#include "libc/descriptors.hpp"

namespace ranklet::loader {

void Descriptors::replace_all(const std::map<int, int>& ours)
{
  for (int standard = 0; standard <= 2; ++standard)
    if (!ours.contains(standard)) set(standard, Target{});
  for (const auto& [number, real] : ours) {
    set(number, Target{Kind::real, real});
    // No other file gets the number while it means this one to a rank.
    if (number > 2 && ::fcntl(number, F_GETFD) < 0) {
      const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      if (nothing >= 0 && nothing != number) ::dup3(nothing, number, O_CLOEXEC);
      if (nothing >= 0 && nothing != number) ::close(nothing);
    }
  }
}

void Descriptors::close_all()
{
  std::vector<int> numbers = {0, 1, 2};
  {
    const Holder guard(mutex_);
    for (const auto& [number, target] : aliases_)
      if (target.kind == Kind::real) numbers.push_back(number);
  }
  for (const int number : numbers)
    if (target_of(number).kind == Kind::real) set(number, Target{});
}

std::array<int, 3> Descriptors::copies_for_child(bool in_child) const
{
  std::array<int, 3> copies;
  for (int i = 0; i <= 2; ++i) {
    int& copy = copies[static_cast<std::size_t>(i)];
    if (closes_on_exec(i) && !in_child)
      copy = -1;
    else if (target_of(i).kind == Kind::input && !input_.reaches(seat_))
      copy = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    else
      copy = ::fcntl(real_descriptor(i), F_DUPFD_CLOEXEC, 3);
  }
  return copies;
}

void Descriptors::apply_to_process()
{
  new (&mutex_) Mutex;  // a thread that does not exist here may hold it
  // All copies first, as one may lead to what another one's number is now.
  const std::array<int, 3> copies = copies_for_child(true);
  for (int i = 0; i <= 2; ++i) {
    const int copy = copies[static_cast<std::size_t>(i)];
    if (copy < 0) {
      ::close(i);
    } else {
      ::dup3(copy, i, close_on_exec_[static_cast<std::size_t>(i)] ? O_CLOEXEC : 0);
      ::close(copy);
    }
  }
  for (const auto& [number, target] : aliases_)
    if (target.kind == Kind::real) ::dup2(target.real, number);
  detached_ = true;
}

}  // namespace ranklet::loader
