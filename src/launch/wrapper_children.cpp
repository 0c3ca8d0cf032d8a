#include "launch/wrapper_children.hpp"

#include <algorithm>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include "base/config.hpp"

namespace ranklet::launch {

ChildEnd run_child(std::vector<std::string> words, const std::string& directory)
{
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) return {"", false};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    if (!directory.empty()) {
      ::dup2(ends[1], STDERR_FILENO);
      if (::chdir(directory.c_str()) != 0) ::_exit(127);
    }
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  ChildEnd end{"", false};
  char bytes[512];
  for (ssize_t got; (got = ::read(ends[0], bytes, sizeof bytes)) > 0;)
    end.text.append(bytes, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  end.success =
      child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return end;
}

std::string path_of(const std::string& program)
{
  const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (program.find('/') != program.npos) return runs(program) ? program : "";
  const char* const variable = environment_variable("PATH");
  std::string_view path = variable != nullptr ? variable : "/usr/bin:/bin";
  while (true) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string candidate = std::string(path.substr(0, colon)) + "/" + program;
    if (runs(candidate)) return candidate;
    if (colon == path.size()) return "";
    path.remove_prefix(colon + 1);
  }
}

}  // namespace ranklet::launch
