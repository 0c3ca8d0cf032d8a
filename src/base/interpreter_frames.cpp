#include "base/interpreter_frames.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

namespace ranklet {

namespace {

constexpr std::size_t longest = std::size_t{1} << 16;  // of what is looked at

std::string_view take_line(std::string_view& text)
{
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "Thread 0x00007f… (most recent call first):", or "Current thread …"
bool begins_thread(std::string_view line, pthread_t thread)
{
  const std::size_t number = line.find("hread 0x");
  if (number == line.npos || number > 9) return false;
  std::uintptr_t found = 0;
  const char* const begin = line.data() + number + 8;
  std::from_chars(begin, line.data() + line.size(), found, 16);
  return found == static_cast<std::uintptr_t>(thread);
}

// "  File "/home/me/halo.py", line 12 in exchange"
std::string place_in(std::string_view line)
{
  constexpr std::string_view start = "  File \"", middle = "\", line ", end = " in ";
  const std::size_t name_ends = line.find(middle);
  if (!line.starts_with(start) || name_ends == line.npos) return {};
  std::string_view file = line.substr(start.size(), name_ends - start.size());
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  const std::string_view rest = line.substr(name_ends + middle.size());
  const std::size_t number_ends = std::min(rest.find(end), rest.size());
  std::string text;
  if (number_ends < rest.size()) {
    const std::string_view function = rest.substr(number_ends + end.size());
    text = std::string(function) + (function.ends_with('>') ? " at " : "() at ");
  }
  return text + std::string(file) + ":" + std::string(rest.substr(0, number_ends));
}

}  // namespace

std::string innermost_frame(std::string_view frames, pthread_t thread)
{
  while (!frames.empty())
    if (begins_thread(take_line(frames), thread)) return place_in(take_line(frames));
  return {};
}

std::string interpreter_place(DumpFrames dump, pthread_t thread)
{
  if (dump == nullptr) return {};
  const int file = ::memfd_create("ranklet-frames", MFD_CLOEXEC);
  if (file < 0) return {};
  dump(file);
  std::string frames(longest, '\0');
  const ssize_t size = ::pread(file, frames.data(), frames.size(), 0);
  ::close(file);
  frames.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return innermost_frame(frames, thread);
}

}  // namespace ranklet
