// What a world does at the turns in a rank's life, of which the loader tells it.
#include <algorithm>
#include <memory>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/sanitizer_hooks.hpp"
#include "launch/world.hpp"
#include "libc/alternate_stack.hpp"
#include "libc/directory.hpp"

namespace ranklet::launch {

namespace {

// Where directories are all ranks', it must be the one that they have.
bool enter_directory(const std::string& path, bool is_own)
{
  if (is_own) return ::chdir(path.c_str()) == 0;
  const int directory = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool same = directory >= 0 && loader::is_working_directory(directory);
  if (directory >= 0) ::close(directory);
  return same;
}

}  // namespace

bool World::directories_differ() const
{
  return std::ranges::any_of(description_.programs, [this](const Program& program) {
    return program.directory != description_.programs[0].directory;
  });
}

void World::image_ready(loader::ProcessState& process)
{
  process.libc =
      std::make_shared<loader::LibcState>(process, parts_.output, own_input_ ? *own_input_ : parts_.input);
  {
    const Holder guard(mutex_);
    states_[static_cast<std::size_t>(process.rank)] = process.libc;
  }
  parts_.crash_reports.add(process.libc);
  const RankRun& run = run_of(process.rank);
  const bool moves = is_later() || directories_differ();
  if (run.arrival)
    take_over(*run.arrival, process);
  else if (moves && !enter_directory(run.directory, process.libc->own_directory))
    abort(process.rank, 1, "cannot have its working directory " + run.directory);
  if (mask_ >= 0 && process.libc->own_directory) ::umask(static_cast<mode_t>(mask_));
  allocate_for_program();
}

void World::thread_starts(loader::ProcessState& process)
{
  job_->bind_thread(process.rank);
  loader::use_alternate_stack();
  process.libc->enter_thread();
  // Inherited, which a sanitizer does not know.
  if (char name[16]; sanitizer_is_present() && ::prctl(PR_GET_NAME, name) == 0) ::prctl(PR_SET_NAME, name);
}

void World::thread_ends(loader::ProcessState& process)
{
  process.libc->leave_thread();
  loader::drop_alternate_stack();
  job_->bind_thread(-1);
}

void World::process_exits(loader::ProcessState& process, int)
{
  process.libc->finish();
}

void World::exited_on_other_thread(loader::ProcessState& process, int code)
{
  rank_ended(process.rank, code);
  note_thread(process.rank, Thread::State::stays);
}

void World::end_job(loader::ProcessState& process, int code)
{
  if ((code & 0xff) != 0) {
    if (job_->mpi_active(process.rank)) job_->rank_fails(process.rank);
    // Nobody asks a process why it has exited.
    abort(process.rank, code, description_.is_singleton && guest_ == 0 ? "" : exit_text(code & 0xff));
  }
  rank_ended(process.rank, code);
  note_thread(process.rank, Thread::State::stays);
  sleep_for_ever();
}

}  // namespace ranklet::launch
