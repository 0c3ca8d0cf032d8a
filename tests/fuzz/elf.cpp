// Damaged and hostile programs: whatever a file holds, reading it as ELF throws Error or stays inside the
// file.
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

#include "loader/elf_file.hpp"
#include "terms/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  const int descriptor = ::memfd_create("program", MFD_CLOEXEC);
  if (descriptor < 0 || ::write(descriptor, data, size) != static_cast<ssize_t>(size)) return 0;
  try {
    const auto file = ranklet::loader::ElfFile::open("/proc/self/fd/" + std::to_string(descriptor));
    std::size_t read = file->soname().size() + file->dynamic_string(DT_RUNPATH).size();
    for (const std::string& name : file->needed()) read += name.size();
    for (const Elf64_Phdr& segment : file->segments()) read += segment.p_type;
    // What the loader asks for: each byte is looked at.
    for (const auto& relocation : file->table<Elf64_Rela>(DT_RELA, DT_RELASZ)) read += relocation.r_info;
    for (const auto& function : file->table<Elf64_Addr>(DT_INIT_ARRAY, DT_INIT_ARRAYSZ)) read += function;
    [[maybe_unused]] static volatile std::size_t sink;  // so that nothing of it is left out
    sink = read;
  } catch (const ranklet::Error&) {
  }
  ::close(descriptor);
  return 0;
}
