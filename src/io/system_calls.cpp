#include "io/system_calls.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ranklet::io {

namespace {

int open_native(const char* path, int flags, mode_t mode)
{
  return ::open(path, flags, mode);
}

int allocate_native(int descriptor, off_t size)
{
  return ::posix_fallocate(descriptor, 0, size);
}

int stat_native(const char* path, struct stat* found)
{
  return ::stat(path, found);
}

int fstat_native(int descriptor, struct stat* found)
{
  return ::fstat(descriptor, found);
}

int fstatfs_native(int descriptor, struct statfs* found)
{
  return ::fstatfs(descriptor, found);
}

void* map_native(int descriptor, off_t at, std::size_t bytes)
{
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, at);
  if (memory == MAP_FAILED) return nullptr;
  // A child that lives long must not keep a deleted file.
  ::madvise(memory, bytes, MADV_DONTFORK);
  return memory;
}

}  // namespace

const SystemCalls native_calls{&open_native,    &::close,     &::preadv,        &::pwritev,   &fstat_native,
                               &stat_native,    &::ftruncate, &allocate_native, &::fdatasync, &::unlink,
                               &fstatfs_native, &map_native,  &::munmap,        &::mincore};

ErrorClass class_of(int number) noexcept
{
  switch (number) {
    case ENOENT:
      return ErrorClass::no_such_file;
    case EEXIST:
      return ErrorClass::file_exists;
    case EACCES:
    case EPERM:
      return ErrorClass::access;
    case EROFS:
      return ErrorClass::read_only;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return ErrorClass::bad_file;
    case ENOSPC:
      return ErrorClass::no_space;
    case EDQUOT:
      return ErrorClass::quota;
    case ETXTBSY:
    case EBUSY:
      return ErrorClass::file_in_use;
    case ENOMEM:
      return ErrorClass::no_mem;
    default:
      return ErrorClass::io;
  }
}

void fail_with(int number, const char* what, const std::string& name)
{
  const std::string why = std::generic_category().message(number);
  fail(class_of(number), "%s %s: %s", what, name.c_str(), why.c_str());
}

}  // namespace ranklet::io
