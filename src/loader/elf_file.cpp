#include "loader/elf_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "terms/error.hpp"

namespace ranklet::loader {

std::string architecture_name(unsigned char elf_class, unsigned machine)
{
  switch (machine) {
    case EM_X86_64:
      return elf_class == ELFCLASS64 ? "x86-64" : "x32";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_PPC64:
      return "POWER";
    case EM_RISCV:
      return "RISC-V";
    case EM_S390:
      return "s390";
    default:
      return "machine number " + std::to_string(machine);
  }
}

std::shared_ptr<const ElfFile> ElfFile::open(const std::string& path)
{
  std::shared_ptr<ElfFile> file(new ElfFile);
  file->path_ = path;
  file->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file->descriptor_ < 0)
    fail(errno == ENOENT ? ErrorClass::no_such_file : ErrorClass::access, "cannot read %s: %s", path.c_str(),
         std::strerror(errno));
  struct stat status {};
  if (fstat(file->descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
    fail(ErrorClass::access, "%s is not a regular file", path.c_str());
  file->identity_ = {status.st_dev, status.st_ino};
  file->changed_ = status.st_mtim;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < sizeof(Elf64_Ehdr)) fail(ErrorClass::arg, "%s is not an ELF file", path.c_str());
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->descriptor_, 0);
  if (bytes == MAP_FAILED) fail(ErrorClass::access, "cannot map %s: %s", path.c_str(), std::strerror(errno));
  file->bytes_ = {static_cast<const std::byte*>(bytes), size};
  file->check();
  return file;
}

bool ElfFile::was_changed() const noexcept
{
  struct stat status {};
  return fstat(descriptor_, &status) == 0 &&
         (status.st_mtim.tv_sec != changed_.tv_sec || status.st_mtim.tv_nsec != changed_.tv_nsec ||
          static_cast<std::size_t>(status.st_size) != bytes_.size());
}

ElfFile::~ElfFile()
{
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) close(descriptor_);
}

void ElfFile::check()
{
  const Elf64_Ehdr& head = header();
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    fail(ErrorClass::arg, "%s is not an ELF file", path_.c_str());
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
    fail(ErrorClass::arg, "%s is built for %s, this machine is x86-64: rebuild it here", path_.c_str(),
         architecture_name(head.e_ident[EI_CLASS], head.e_machine).c_str());

  const auto damaged = [this](const char* what) {
    fail(ErrorClass::arg, "%s is damaged: %s", path_.c_str(), what);
  };
  if (head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum == 0 || head.e_phoff > bytes_.size() ||
      head.e_phnum > (bytes_.size() - head.e_phoff) / sizeof(Elf64_Phdr))
    damaged("its program headers are not in the file");
  if (head.e_phoff % alignof(Elf64_Phdr) != 0) damaged("its program headers are not aligned");
  segments_ = {reinterpret_cast<const Elf64_Phdr*>(bytes_.data() + head.e_phoff), head.e_phnum};
  for (const Elf64_Phdr& part : segments_) {
    if (part.p_type != PT_LOAD && part.p_type != PT_DYNAMIC && part.p_type != PT_TLS) continue;
    if (part.p_offset > bytes_.size() || part.p_filesz > bytes_.size() - part.p_offset)
      damaged("a segment ends behind the file");
    if (part.p_memsz < part.p_filesz) damaged("a segment is smaller in memory than in the file");
    if (part.p_type == PT_LOAD && (part.p_vaddr - part.p_offset) % page_size != 0)
      damaged("a segment is not aligned to pages");
  }
  if (const Elf64_Phdr* part = segment(PT_DYNAMIC)) {
    if (part->p_offset % alignof(Elf64_Dyn) != 0) damaged("its dynamic section is not aligned");
    const auto* first = reinterpret_cast<const Elf64_Dyn*>(bytes_.data() + part->p_offset);
    std::size_t count = 0;
    while (count < part->p_filesz / sizeof(Elf64_Dyn) && first[count].d_tag != DT_NULL) ++count;
    dynamic_ = {first, count};
  }
}

const Elf64_Phdr* ElfFile::segment(Elf64_Word type) const noexcept
{
  for (const Elf64_Phdr& part : segments_)
    if (part.p_type == type) return &part;
  return nullptr;
}

std::optional<Elf64_Xword> ElfFile::dynamic_value(Elf64_Sxword tag) const noexcept
{
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return std::nullopt;
}

const std::byte* ElfFile::place(Elf64_Addr address, std::size_t size, std::size_t alignment) const
{
  // A segment lies in the file as in memory, up to whole pages.
  if (address % alignment != 0)
    fail(ErrorClass::arg, "%s is damaged: the table at address %#lx is not aligned", path_.c_str(), address);
  for (const Elf64_Phdr& part : segments_)
    if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr <= part.p_filesz &&
        size <= part.p_filesz - (address - part.p_vaddr))
      return bytes_.data() + part.p_offset + (address - part.p_vaddr);
  fail(ErrorClass::arg, "%s is damaged: address %#lx is in no segment", path_.c_str(), address);
}

namespace {

std::string string_of(const ElfFile& file, Elf64_Xword offset)
{
  const auto strings = file.table<char>(DT_STRTAB, DT_STRSZ);
  if (offset >= strings.size())
    fail(ErrorClass::arg, "%s is damaged: a name is missing", file.path().c_str());
  return {strings.data() + offset, strnlen(strings.data() + offset, strings.size() - offset)};
}

}  // namespace

std::string ElfFile::soname() const
{
  return dynamic_string(DT_SONAME);
}

std::string ElfFile::dynamic_string(Elf64_Sxword tag) const
{
  const auto offset = dynamic_value(tag);
  return offset ? string_of(*this, *offset) : std::string();
}

std::vector<std::string> ElfFile::needed() const
{
  std::vector<std::string> names;
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == DT_NEEDED) names.push_back(string_of(*this, entry.d_un.d_val));
  return names;
}

}  // namespace ranklet::loader
