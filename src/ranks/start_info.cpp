#include "ranks/start_info.hpp"

#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include <limits.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace ranklet {

namespace {

void set(Info& info, const char* key, std::string_view value)
{
  if (!value.empty()) info.set(key, value.substr(0, max_info_value));
}

}  // namespace

Info start_info(std::span<const std::string> arguments, const std::string& directory, int processes)
{
  Info info;
  std::string rest;
  for (std::size_t i = 1; i < arguments.size(); ++i) rest += (i > 1 ? " " : "") + arguments[i];
  if (!arguments.empty()) set(info, "command", arguments[0]);
  set(info, "argv", rest);
  set(info, "maxprocs", std::to_string(processes));
  set(info, "soft", std::to_string(processes));
  utsname system{};
  if (::uname(&system) == 0) {
    set(info, "host", system.nodename);
    set(info, "arch", system.machine);
  }
  set(info, "wdir", directory);
  return info;
}

Info start_info_of_process()
{
  // Zero bytes end the arguments (proc(5)).
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    arguments.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  char directory[PATH_MAX] = "";
  if (!::getcwd(directory, sizeof directory)) directory[0] = '\0';
  return start_info(arguments, directory, 1);
}

}  // namespace ranklet
