#include "launch/spawned_job.hpp"

#include <string>
#include <string_view>

#include <unistd.h>

#include "base/config.hpp"
#include "launch/interpreters.hpp"
#include "launch/program_search.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

namespace {

// The rank's own, which it may have changed.
std::string path_in(char* const* environment)
{
  constexpr std::string_view name = "PATH=";
  for (char* const* entry = environment; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with(name)) return *entry + name.size();
  return {};
}

}  // namespace

JobDescription describe(const JobToStart& job, char* const* environment, int universe_size)
{
  const std::string here = current_directory();
  JobDescription description;
  description.universe_size = universe_size;
  for (const ProgramToStart& asked : job.programs) {
    Program program;
    program.directory = asked.directory.empty() ? here : absolute(asked.directory, here);
    if (::access(program.directory.c_str(), X_OK) != 0)
      fail(ErrorClass::spawn, "there is no directory %s, where %s shall run", program.directory.c_str(),
           asked.command.c_str());
    const bool in_path = asked.search_path.empty() && asked.command.find('/') == std::string::npos;
    const std::string search_path = in_path ? path_in(environment) : asked.search_path;
    program.path = find_program(asked.command, search_path, program.directory, here);
    program.ranks = asked.ranks;
    program.arguments = asked.arguments;
    program.arguments.insert(program.arguments.begin(), asked.command);
    for (char* const* entry = environment; *entry != nullptr; ++entry)
      program.environment.emplace_back(*entry);
    if (const std::string note = use_interpreter(program, config().interpreters); !note.empty())
      fail(ErrorClass::spawn, "%s", note.c_str());
    description.programs.push_back(std::move(program));
  }
  return description;
}

}  // namespace ranklet::launch
