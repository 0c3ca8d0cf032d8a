// What the room asks of the operating system, as a table: tests put calls that fail in its place.
#pragma once

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <string>

#include "terms/error.hpp"

namespace ranklet::io {

// As the functions of the same names; all set errno, but for allocate, which returns it (posix_fallocate).
struct SystemCalls {
  int (*open)(const char* path, int flags, mode_t mode);
  int (*close)(int descriptor);
  ssize_t (*preadv)(int descriptor, const iovec* vectors, int count, off_t at);
  ssize_t (*pwritev)(int descriptor, const iovec* vectors, int count, off_t at);
  int (*fstat)(int descriptor, struct stat* found);
  int (*stat)(const char* path, struct stat* found);
  int (*ftruncate)(int descriptor, off_t size);
  int (*allocate)(int descriptor, off_t size);
  int (*sync)(int descriptor);
  int (*unlink)(const char* path);
  int (*fstatfs)(int descriptor, struct statfs* found);
  void* (*map)(int descriptor, off_t at, std::size_t bytes);  // mmap, shared and for writing; null: it fails
  int (*unmap)(void* memory, std::size_t bytes);
  int (*mincore)(void* memory, std::size_t bytes, unsigned char* pages);
};

extern const SystemCalls native_calls;

// The class of an errno (MPI 5.0 §14.7 names most).
ErrorClass class_of(int number) noexcept;
// Throws it: "what name: No such file or directory".
[[noreturn]] void fail_with(int number, const char* what, const std::string& name);

}  // namespace ranklet::io
