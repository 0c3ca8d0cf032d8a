#include "launch/program_search.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "base/config.hpp"
#include "launch/install_paths.hpp"
#include "loader/loader.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

namespace {

bool is_runnable_file(const std::string& path)
{
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

bool exists(const std::string& path)
{
  return ::access(path.c_str(), F_OK) == 0;
}

std::string current_directory()
{
  char path[4096];
  if (::getcwd(path, sizeof path) == nullptr)
    fail(ErrorClass::no_such_file, "the current directory is gone: %s", std::strerror(errno));
  return path;
}

std::string absolute(const std::string& path, const std::string& directory)
{
  return normal_path(path.starts_with('/') ? path : directory + "/" + path);
}

std::string find_program(const std::string& name, const std::string& search_path,
                         const std::string& directory, const std::string& here)
{
  std::vector<std::string> candidates;
  if (name.find('/') == name.npos) {
    const char* const from_environment = environment_variable("PATH");
    std::string path = !search_path.empty()          ? search_path
                       : from_environment != nullptr ? from_environment
                                                     : "/usr/local/bin:/usr/bin:/bin";
    while (true) {
      const std::size_t colon = path.find(':');
      candidates.push_back(absolute(path.substr(0, colon) + "/" + name, here));
      if (colon == path.npos) break;
      path.erase(0, colon + 1);
    }
  }
  candidates.push_back(absolute(name, directory));
  candidates.push_back(absolute(name, here));
  if (!search_path.empty() && name.find('/') != name.npos && !name.starts_with('/'))
    candidates.insert(candidates.begin(), absolute(search_path + "/" + name, here));
  for (const std::string& candidate : candidates)
    if (is_runnable_file(candidate)) return candidate;
  for (const std::string& candidate : candidates) {
    if (exists(candidate))
      fail(ErrorClass::access, "%s is no executable file (chmod +x makes a program or script executable)",
           candidate.c_str());
  }
  fail(ErrorClass::no_such_file, "there is no program %s%s", name.c_str(),
       name.find('/') == name.npos ? " in the search path or in the current directory" : "");
}

bool uses_mpi(const JobDescription& job)
{
  return std::ranges::count_if(job.programs, [](const Program& program) {
           return loader::is_mpi_program(program.path);
         }) == std::ssize(job.programs);
}

}  // namespace ranklet::launch
