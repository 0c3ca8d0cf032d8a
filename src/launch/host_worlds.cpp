// How worlds come to the host: by ranks that start programs, and by other mpiexec.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/config.hpp"
#include "launch/host_process.hpp"
#include "launch/output_rules.hpp"
#include "launch/program_search.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/spawned_job.hpp"
#include "launch/starter.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

void HostProcess::await_worlds()
{
  while (const std::shared_ptr<World> world = worlds_.running()) world->wait_for_all();
}

void HostProcess::start_programs(const JobToStart& job)
{
  allocate_for_host();
  try {
    start_child(job);
  } catch (const Error& error) {
    allocate_for_program();
    fail(ErrorClass::spawn, "%s", error.message().c_str());
  }
  allocate_for_program();
}

void HostProcess::start_child(const JobToStart& job)
{
  forget_past_worlds();
  const loader::ProcessState& process = *loader::current_process();
  const World& parent = *world_of(&process);
  int universe_size = worlds_.ranks();
  for (const ProgramToStart& program : job.programs) universe_size += program.ranks;
  universe_size = std::max(universe_size, first_->job().universe_size());
  JobDescription description = describe(job, *process.variables.environ_, universe_size);
  WorldPlace place;
  place.guest = parent.guest();
  place.started_by = &job;
  place.number = description.world = worlds_.new_number();
  if (!uses_mpi(description)) {
    // Its processes would have the first mpiexec's streams, and its settings.
    if (!config().universe.empty())
      fail(ErrorClass::spawn, "in a universe only MPI programs themselves can be started, no scripts");
    place.starter = start_starter(description, parts_.own_cpus);
  }
  const int control = description.control;
  try {
    start_world(std::move(description), parent.settings(), place, "");
  } catch (...) {
    if (place.starter > 0) {
      ::close(control);  // which ends it
      ::waitpid(place.starter, nullptr, 0);
    }
    throw;
  }
}

void HostProcess::start_world(JobDescription description, const Config& settings, WorldPlace place,
                              const std::string& here)
{
  const int ranks = description.size();
  int streams = loader::JobOutput::own_streams;
  if (place.guest != 0) {
    const Holder guard(mutex_);
    streams = streams_.at(place.guest);
  }
  std::vector<loader::RankOutputSettings> outputs =
      outputs_of(description, settings, place.started_by != nullptr ? place.number : 1);
  for (loader::RankOutputSettings& output : outputs)
    for (std::string& file : output.file)
      if (!here.empty() && !file.empty()) file = absolute(file, here);
  place.seat = output_.add(outputs, streams);
  std::shared_ptr<World> world;
  try {
    world = std::make_shared<World>(std::move(description), parts_, settings, place);
  } catch (...) {
    output_.remove(place.seat, ranks);
    throw;
  }
  worlds_.add(world);
  try {
    world->start();
  } catch (const Error& error) {
    end(world.get(), -1, 1,
        std::string("cannot start: ") + error.message());  // others of its ranks may run
  }
}

void HostProcess::take_in_guests()
{
  Guests::Events events;
  events.comes = [this](int guest, GuestJob job) { start_guest(guest, std::move(job)); };
  events.is_signalled = [this](int guest, int signal) { signal_guest(guest, signal); };
  events.is_gone = [this](int) {
    end(nullptr, -1, 128 + SIGKILL, "ended, as another mpiexec of its universe was killed");
  };
  guests_.emplace(listener_, std::move(events));
}

void HostProcess::start_guest(int guest, GuestJob job)
{
  allocate_for_host();
  std::vector<char*> variables;
  for (std::string& setting : job.settings) variables.push_back(setting.data());
  variables.push_back(nullptr);
  Config settings = read_config(variables.data());
  // What the universe's jobs have in common.
  settings.check = config().checks() ? CheckMode::yes : CheckMode::no;
  settings.check_report.clear();
  forget_past_worlds();
  const int streams = output_.add_streams(job.standard[1], job.standard[2]);
  {
    const Holder guard(mutex_);
    streams_[guest] = streams;
  }
  WorldPlace place;
  place.number = worlds_.new_number();
  place.guest = guest;
  place.beside = &first_->job();
  place.input = job.standard[0];
  place.mask = static_cast<int>(job.mask);
  const std::string here = job.description.programs[0].directory;
  try {
    start_world(std::move(job.description), settings, place, here);
  } catch (...) {
    ::close(place.input);
    forget_streams(guest);
    throw;
  }
}

void HostProcess::signal_guest(int guest, int signal)
{
  if (all_take(worlds_.of(guest), signal)) return;
  if (signal == SIGUSR1) return guests_->tell(guest, state_text());
  end(nullptr, -1, 128 + signal,
      "ended, as another mpiexec of its universe got signal " + std::to_string(signal) + " (" +
          ::strsignal(signal) + ")");
}

void HostProcess::note_over(World& world)
{
  worlds_.pass_on_cpus(world);
  if (world.guest() == 0) return;
  std::optional<Worlds::End> last = worlds_.guest_end(world.guest());
  if (!last) return;
  const Worlds::List own = worlds_.of(world.guest());
  for (const std::shared_ptr<World>& each : own) output_.flush(each->seat(), each->size());
  int streams = 0;
  {
    const Holder guard(mutex_);
    streams = streams_.at(world.guest());
  }
  for (const std::string& loss : output_.end_streams(streams)) {
    last->words += "mpiexec: " + loss + "\n";
    if (last->code == 0) last->code = 1;
  }
  for (const std::shared_ptr<World>& each : own) each->end_input();
  guests_->ended(world.guest(), last->code, last->words);
}

void HostProcess::forget_past_worlds()
{
  for (const int guest : worlds_.forget_past()) forget_streams(guest);
}

void HostProcess::forget_streams(int guest)
{
  const Holder guard(mutex_);
  output_.remove_streams(streams_.extract(guest).mapped());
}

}  // namespace ranklet::launch
