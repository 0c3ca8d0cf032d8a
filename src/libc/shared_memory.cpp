// Names of shared memory that a library makes of the number of its process: those of the rank are meant.
//
// LLVM's OpenMP writes its address into memory of such a name, so that a second copy in the process notices
// the first. Copies in different ranks are no such thing, and one that finds memory which another is about to
// size and fill is ended by SIGBUS.
#include <sys/mman.h>

#include <string>
#include <string_view>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

std::string own_name(const char* name)
{
  std::string own = name;
  const ProcessState* const process = current_process();
  // The seat, as ranks of several worlds have one number.
  if (process != nullptr && own.starts_with("/__KMP_REGISTERED_LIB_"))
    own += "_" + std::to_string(process->seat);
  return own;
}

int rank_shm_open(const char* name, int flags, mode_t mode)
{
  return ::shm_open(own_name(name).c_str(), flags, mode);
}

int rank_shm_unlink(const char* name)
{
  return ::shm_unlink(own_name(name).c_str());
}

const Override shared_memory_table[] = {
    override_with("shm_open", &rank_shm_open),
    override_with("shm_unlink", &rank_shm_unlink),
};

}  // namespace

std::span<const Override> shared_memory_overrides()
{
  return shared_memory_table;
}

}  // namespace ranklet::loader
