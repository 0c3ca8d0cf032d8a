#include "launch/universe_door.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.hpp"
#include "handover/packet.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// With "/ranklet/" and a name (base/config_table.cpp) it fits the kernel's 107 characters.
constexpr std::size_t longest_directory = 50;
// The one that holds the name is about to listen, or about to end.
constexpr std::chrono::seconds patience{10};

bool is_private_directory(const std::string& path)
{
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() &&
         (found.st_mode & 077) == 0;
}

// What the system gives the user for such things, else a directory that everybody finds under the same name.
std::string directory()
{
  const char* const runtime = environment_variable("XDG_RUNTIME_DIR");
  const std::string path =
      runtime != nullptr && std::strlen(runtime) <= longest_directory && is_private_directory(runtime)
          ? std::string(runtime) + "/ranklet"
          : "/tmp/ranklet-" + std::to_string(::geteuid());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    fail(ErrorClass::access, "the directory %s for universes cannot be made: %s", path.c_str(),
         std::strerror(errno));
  if (!is_private_directory(path))
    fail(ErrorClass::access, "%s, where universes meet, must be a directory that only its user may enter",
         path.c_str());
  return path;
}

struct flock whole_file()
{
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

pid_t holder_of(int file)
{
  struct flock lock = whole_file();
  return ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

}  // namespace

UniverseDoor enter_universe(const std::string& name)
{
  const std::string path = directory() + "/" + name + ".socket";
  // A lock of the process: its children do not have it. It is never closed.
  const int file =
      ::open((directory() + "/" + name + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    fail(ErrorClass::access, "the lock of the universe %s cannot be opened: %s", name.c_str(),
         std::strerror(errno));
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    struct flock lock = whole_file();
    if (::fcntl(file, F_SETLK, &lock) == 0) {
      ::unlink(path.c_str());
      return {.listener = handover::listen_at(path)};
    }
    if (const int host = handover::connect(path); host >= 0) {
      ::close(file);
      return {.host = host};
    }
    if (std::chrono::steady_clock::now() >= end)
      fail(ErrorClass::other, "the universe %s belongs to process %d, which does not answer", name.c_str(),
           static_cast<int>(holder_of(file)));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace ranklet::launch
