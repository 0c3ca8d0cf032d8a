// ranklet-host: the process in which ranks run as threads, each with its private image of the program.
//
// Started by mpiexec with the descriptor of a job description; settings come as RANKLET_* variables. The
// ranks' own variables are in the description: what is in this process's environment is nobody's.
//
// This executable must hold no thread_local variable (process/thread_storage.hpp), so neither may what it
// links.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/config.hpp"
#include "launch/guest.hpp"
#include "launch/host_process.hpp"
#include "launch/job_description.hpp"
#include "launch/programs.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/standard_descriptors.hpp"
#include "launch/starter.hpp"
#include "launch/universe_door.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

int run_host(int argc, char** argv)
{
  loader::restore_host_environment();
  allocate_for_host();
  if (argc == 3 && std::string(argv[1]) == starter_word) {
    const int descriptor = std::atoi(argv[2]);
    const JobDescription job = read_description(descriptor);
    ::close(descriptor);
    run_starter(job);
    return 0;
  }
  if (argc != 2) {
    std::fputs("ranklet-host is started by mpiexec\n", stderr);
    return 2;
  }
  const int descriptor = std::atoi(argv[1]);
  JobDescription description = read_description(descriptor);

  auto& programs = *new Programs;
  if (description.control < 0)
    for (const Program& program : description.programs) programs.at(program.path, program.environment);
  else
    programs.at(description.first_program, description.programs[0].environment);
  loader::ensure_thread_storage(programs.need(), argv);  // may execute this program again
  UniverseDoor door;
  for (int attempts = 0; !config().universe.empty() && door.listener < 0; ++attempts) {
    door = enter_universe(config().universe);
    if (door.host < 0) continue;
    if (const std::optional<int> code = stand_for_job(descriptor, door.host)) ::_exit(*code);
    // That host was about to end.
    if (attempts == 1000)
      fail(ErrorClass::other, "the universe %s takes no job: another version of mpiexec may serve it",
           config().universe.c_str());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::close(descriptor);
  if (description.control >= 0) ::fcntl(description.control, F_SETFD, FD_CLOEXEC);
  if (::chdir(description.programs[0].directory.c_str()) != 0)
    fail(ErrorClass::no_such_file, "the directory %s cannot be entered",
         description.programs[0].directory.c_str());
  ::prctl(PR_SET_NAME, shown_name(description.programs[0]).c_str());
  // Never destroyed: threads that the ranks left behind may still run when the job's code is known.
  auto* const host = new HostProcess(std::move(description), programs, door.listener);
  const int code = host->run();
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace
}  // namespace ranklet::launch

int main(int argc, char** argv)
{
  ranklet::launch::open_standard_descriptors();
  try {
    return ranklet::launch::run_host(argc, argv);
  } catch (const ranklet::Error& error) {
    std::fprintf(stderr, "mpiexec: %s\n", error.what());
    ::_exit(error.error_class() == ranklet::ErrorClass::no_such_file ? 127 : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpiexec: the job cannot be started: %s\n", error.what());
    ::_exit(1);
  }
}
