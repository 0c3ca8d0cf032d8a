// Command lines of mpiexec: each line of the input is an argument, and what follows a zero byte is a file,
// which both call FILE. Whatever they say, they are understood or refused with an Error.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <netdb.h>
#include <unistd.h>

#include "handover/bytes.hpp"
#include "launch/command_line.hpp"
#include "terms/error.hpp"

// No host is asked for.
extern "C" int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**)
{
  return EAI_NONAME;
}

namespace {

constexpr int file_number = 100;
constexpr std::string_view file_name = "/proc/self/fd/100";

// The machine's own files are none of its business, so no other name has a folder.
std::string with_name_of_file(std::string_view text)
{
  std::string result(text);
  for (char& c : result)
    if (c == '/') c = '_';
  for (std::size_t place = 0; (place = result.find("FILE", place)) != result.npos; place += file_name.size())
    result.replace(place, 4, file_name);
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  std::string_view lines = all.substr(0, all.find('\0'));
  const int file =
      ranklet::write_to_memory(with_name_of_file(all.substr(std::min(lines.size() + 1, size))), "file");
  ::dup2(file, file_number);
  ::close(file);

  std::vector<std::string> arguments;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    arguments.push_back(with_name_of_file(lines.substr(0, end)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  static const char* const environment[] = {"HOME=/home/me", "PATH=/bin", nullptr};
  try {
    ranklet::launch::parse_command_line(arguments, environment);
  } catch (const ranklet::Error&) {
  }
  ::close(file_number);
  return 0;
}
