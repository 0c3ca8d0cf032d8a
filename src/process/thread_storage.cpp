#include "process/thread_storage.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "process/mpi_library.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

// Enough for nearly every program; glibc clears all of it for each new thread, so it is not made larger.
constexpr std::size_t reserve_bytes = 16384;
// p_paddr has no meaning in an executable: the second execution marks its enlarged segment there.
constexpr Elf64_Addr enlarged_mark = 0x52414e4b4c4554;
constexpr const char* saved_path_variable = "RANKLET_SAVED_LD_LIBRARY_PATH";

alignas(64) thread_local std::byte reserve[reserve_bytes];

constexpr std::size_t round_up(std::size_t value, std::size_t alignment)
{
  return (value + alignment - 1) / alignment * alignment;
}

const Elf64_Phdr* own_tls_segment() noexcept
{
  const auto* header = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  const auto count = getauxval(AT_PHNUM);
  for (std::size_t i = 0; i < count; ++i)
    if (header[i].p_type == PT_TLS) return &header[i];
  return nullptr;
}

// Before main and before other constructors that may start threads. Until then host_thread() is the reserve's
// start, which holds zeros: no process.
[[gnu::constructor(101)]] void find_reserve() noexcept
{
  host_block_size = thread_pointer() - reserve;
  const Elf64_Phdr* segment = own_tls_segment();
  if (segment && segment->p_paddr == enlarged_mark)
    host_block_size = static_cast<std::ptrdiff_t>(round_up(segment->p_memsz, segment->p_align));
}

// The directories of the libraries that this process uses, so that its copy, which lies nowhere, finds them
// too. That of the MPI library comes first: the others may hold libraries of other MPIs with its name.
std::string directories_of_libraries()
{
  std::string first;
  std::string list;
  std::set<std::string> seen;
  for (const link_map* map = _r_debug.r_map; map; map = map->l_next) {
    const std::string name = map->l_name ? map->l_name : "";
    const auto slash = name.rfind('/');
    if (slash == std::string::npos || slash == 0) continue;
    const std::string directory = name.substr(0, slash);
    if (is_mpi_library(name)) first = directory;
    if (seen.insert(directory).second) list += (list.empty() ? "" : ":") + directory;
  }
  return first.empty() ? list : first + ":" + list;
}

int copy_of_host()
{
  const int source = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (source < 0 || fstat(source, &status) != 0)
    fail(ErrorClass::intern, "cannot read /proc/self/exe: %s", std::strerror(errno));
  const int copy = memfd_create("ranklet-host", MFD_CLOEXEC);
  if (copy < 0) fail(ErrorClass::no_mem, "cannot create a memory file: %s", std::strerror(errno));
  for (off_t left = status.st_size; left > 0;) {
    const ssize_t moved = sendfile(copy, source, nullptr, static_cast<std::size_t>(left));
    if (moved <= 0) fail(ErrorClass::intern, "cannot copy /proc/self/exe: %s", std::strerror(errno));
    left -= moved;
  }
  close(source);
  return copy;
}

void enlarge_segment(int file, StorageNeed need)
{
  Elf64_Ehdr header;
  if (pread(file, &header, sizeof header, 0) != sizeof header)
    fail(ErrorClass::intern, "cannot read the host's header");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const off_t where = static_cast<off_t>(header.e_phoff + i * sizeof(Elf64_Phdr));
    Elf64_Phdr segment;
    if (pread(file, &segment, sizeof segment, where) != sizeof segment)
      fail(ErrorClass::intern, "cannot read the host's header");
    if (segment.p_type != PT_TLS) continue;
    segment.p_align = std::max<Elf64_Xword>(segment.p_align, need.alignment);
    segment.p_memsz = round_up(need.bytes + sizeof(HostThread), segment.p_align);
    // The variables are addressed from the end, so glibc must not shift the block by its address's remainder.
    segment.p_vaddr = segment.p_vaddr / segment.p_align * segment.p_align;
    segment.p_paddr = enlarged_mark;
    if (pwrite(file, &segment, sizeof segment, where) != sizeof segment)
      fail(ErrorClass::intern, "cannot change the host's header");
    return;
  }
  fail(ErrorClass::intern, "the host has no thread-local storage");
}

}  // namespace

constinit std::ptrdiff_t host_block_size = reserve_bytes;

StorageNeed thread_storage_capacity() noexcept
{
  const Elf64_Phdr* segment = own_tls_segment();
  if (!segment) return {};
  if (segment->p_paddr != enlarged_mark && round_up(segment->p_memsz, segment->p_align) != reserve_bytes)
    return {};
  return {static_cast<std::size_t>(host_block_size) - sizeof(HostThread), segment->p_align};
}

void ensure_thread_storage(StorageNeed need, char* const argv[])
{
  const StorageNeed capacity = thread_storage_capacity();
  if (capacity.bytes == 0)
    fail(ErrorClass::intern,
         "the host executable has thread_local variables of its own and cannot hold programs");
  if (need.bytes <= capacity.bytes && need.alignment <= capacity.alignment) return;
  if (own_tls_segment()->p_paddr == enlarged_mark)
    fail(ErrorClass::intern, "the host's thread-local storage did not grow to %zu bytes", need.bytes);

  const int copy = copy_of_host();
  enlarge_segment(copy, need);
  const char* old_path = std::getenv("LD_LIBRARY_PATH");
  // The mark tells "was unset" (-) from "was set" (+).
  setenv(saved_path_variable, old_path ? (std::string("+") + old_path).c_str() : "-", 1);
  std::string path = directories_of_libraries();
  if (old_path && *old_path) path += std::string(":") + old_path;
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  fexecve(copy, argv, environ);
  const int reason = errno;
  restore_host_environment();
  fail(ErrorClass::intern, "cannot execute the host with %zu bytes of thread-local storage: %s", need.bytes,
       std::strerror(reason));
}

void restore_host_environment()
{
  const char* saved = std::getenv(saved_path_variable);
  if (!saved) return;
  if (*saved == '+')
    setenv("LD_LIBRARY_PATH", saved + 1, 1);
  else
    unsetenv("LD_LIBRARY_PATH");
  unsetenv(saved_path_variable);
}

}  // namespace ranklet::loader
