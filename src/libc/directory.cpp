// Working directory and umask: the kernel's, per rank where unshare(CLONE_FS) is allowed.

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "libc/directory.hpp"
#include "libc/libc_state.hpp"

namespace ranklet::loader {

bool is_working_directory(int descriptor) noexcept
{
  struct stat there, here;
  return ::fstat(descriptor, &there) == 0 && ::stat(".", &here) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}

namespace {

// Tells the user once per job, as one rank's directory or mask becomes that of all.
void warn_if_shared(const char* call)
{
  LibcState* const state = current_libc();
  if (state == nullptr || state->own_directory || state->children.in_child()) return;
  state->output.note_once(
      "ranklet: " + state->process.name + " calls " + call +
      ", which here takes effect for all ranks: the system forbids unshare(CLONE_FS); "
      "allow it (docker run --security-opt seccomp=unconfined) if ranks need directories of "
      "their own\n");
}

// All ranks may well go to the same place: only a change is worth a word.
bool is_here(const char* path)
{
  struct stat there, here;
  return ::stat(path, &there) == 0 && ::stat(".", &here) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}

int rank_chdir(const char* path)
{
  if (!is_here(path)) warn_if_shared("chdir");
  return ::chdir(path);
}

int rank_fchdir(int descriptor)
{
  if (!is_working_directory(descriptor)) warn_if_shared("fchdir");
  return ::fchdir(descriptor);
}

mode_t rank_umask(mode_t mask)
{
  const mode_t previous = ::umask(mask);
  if (previous != (mask & 0777)) warn_if_shared("umask");
  return previous;
}

const Override directory_table[] = {
    override_with("chdir", &rank_chdir),
    override_with("fchdir", &rank_fchdir),
    override_with("umask", &rank_umask),
};

}  // namespace

std::span<const Override> directory_overrides()
{
  return directory_table;
}

}  // namespace ranklet::loader
