#include "loader/module.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "loader/link_lists.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const T* first, std::size_t count)
{
  const auto* begin = reinterpret_cast<const std::byte*>(first);
  return {begin, begin + count * sizeof(T)};
}

int protection_of(const Elf64_Phdr& part)
{
  return (part.p_flags & PF_R ? PROT_READ : 0) | (part.p_flags & PF_W ? PROT_WRITE : 0) |
         (part.p_flags & PF_X ? PROT_EXEC : 0);
}

bool is_traced()
{
  char line[256];
  bool traced = false;
  std::FILE* status = std::fopen("/proc/self/status", "re");
  while (status && std::fgets(line, sizeof line, status))
    if (std::strncmp(line, "TracerPid:", 10) == 0) traced = std::atoi(line + 10) != 0;
  if (status) std::fclose(status);
  return traced;
}

// A file in memory with its own inode: the dynamic loader takes files with one inode for one object.
class MemoryFile {
 public:
  MemoryFile(const char* name, std::size_t size)
  {
    descriptor_ = memfd_create(name, MFD_CLOEXEC);
#ifdef MFD_NOEXEC_SEAL
    // Where vm.memfd_noexec demands it; nothing in the file is executed.
    if (descriptor_ < 0 && errno == EACCES) descriptor_ = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
#endif
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
      fail(ErrorClass::no_mem, "cannot create a memory file: %s", std::strerror(errno));
  }
  ~MemoryFile()
  {
    close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::size_t offset, const std::vector<std::byte>& bytes) const
  {
    if (pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes.size()))
      fail(ErrorClass::no_mem, "cannot write a memory file: %s", std::strerror(errno));
  }
  // The dynamic loader also takes equal names for one object, and descriptors are used again: so the number
  // of the copy is written into the path, "/." for one bits and "//" for zero bits.
  std::string path() const
  {
    static std::atomic<unsigned> copies{0};
    // Relaxed is enough: only the numbers must differ.
    // A debugger opens the same path in its own process.
    static const bool traced = is_traced();
    std::string path = traced ? "/proc/" + std::to_string(getpid()) + "/fd" : "/proc/self/fd";
    for (unsigned number = copies.fetch_add(1, std::memory_order_relaxed); number; number >>= 1)
      path += number & 1 ? "/." : "//";
    return path + "/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

void map_over(std::byte* where, std::size_t size, int protection, int file, Elf64_Off offset)
{
  const int flags = MAP_FIXED | MAP_PRIVATE | (file < 0 ? MAP_ANONYMOUS : 0);
  if (size != 0 && mmap(where, size, protection, flags, file, static_cast<off_t>(offset)) == MAP_FAILED)
    fail(ErrorClass::no_mem, "cannot map a program: %s", std::strerror(errno));
}

}  // namespace

Module::Module(std::shared_ptr<const ElfFile> object, Slot its_slot, const Module* first_requester)
    : file_(std::move(object)),
      symbols_(*file_),
      slot_(its_slot),
      soname_(file_->soname()),
      requester_(first_requester)
{
  if (soname_.empty()) soname_ = file_->path().substr(file_->path().rfind('/') + 1);
  Elf64_Addr first = ~Elf64_Addr{0};
  Elf64_Addr last = 0;
  for (const Elf64_Phdr& part : file_->segments()) {
    if (part.p_type != PT_LOAD) continue;
    first = std::min(first, part.p_vaddr);
    last = std::max(last, part.p_vaddr + part.p_memsz);
    if (part.p_align > alignment_ && (part.p_align & (part.p_align - 1)) == 0) alignment_ = part.p_align;
  }
  if (first >= last || file_->dynamic().empty())
    fail(ErrorClass::arg, "%s has nothing to load", file_->path().c_str());
  begin_ = first & ~(alignment_ - 1);
  size_ = page_ceil(last) - begin_;
  describe_registration();
}

std::vector<const ElfFile*> Module::requesters() const
{
  std::vector<const ElfFile*> chain;
  for (const Module* module = this; module; module = module->requester_) chain.push_back(module->file_.get());
  return chain;
}

// The dynamic loader shall map, list and find symbols, and do nothing else: no relocation, no initialiser, no
// dependency, no name by which another object could find this one.
std::vector<Elf64_Dyn> Module::registered_dynamic() const
{
  std::vector<Elf64_Dyn> entries;
  for (const Elf64_Dyn& entry : file_->dynamic()) {
    static constexpr std::array kept = {Elf64_Sxword{DT_STRTAB}, Elf64_Sxword{DT_SYMTAB},
                                        Elf64_Sxword{DT_STRSZ},  Elf64_Sxword{DT_SYMENT},
                                        Elf64_Sxword{DT_HASH},   Elf64_Sxword{DT_GNU_HASH}};
    if (std::find(kept.begin(), kept.end(), entry.d_tag) != kept.end()) entries.push_back(entry);
  }
  entries.resize(file_->dynamic().size(), Elf64_Dyn{});
  return entries;
}

// The registration file is sparse and laid out like memory: one segment that spans the image, in it the
// headers, the dynamic section and the head of the hash table, which the dynamic loader reads while it loads.
void Module::describe_registration()
{
  const Elf64_Phdr& dynamic = *file_->segment(PT_DYNAMIC);
  std::vector<Elf64_Phdr> segments(file_->segments().begin(), file_->segments().end());
  Elf64_Ehdr header = file_->header();
  const std::size_t table_size = segments.size() * sizeof(Elf64_Phdr);

  // Where the program headers lie in memory: dl_iterate_phdr shows them there, the original ones in the end.
  Elf64_Off table = size_;
  for (const Elf64_Phdr& part : segments)
    if (part.p_type == PT_LOAD && header.e_phoff >= part.p_offset &&
        header.e_phoff + table_size <= part.p_offset + part.p_filesz)
      table = header.e_phoff - part.p_offset + part.p_vaddr - begin_;
  registration_size_ = page_ceil(std::max(table + table_size, dynamic.p_vaddr + dynamic.p_memsz - begin_));
  size_ = std::max(size_, registration_size_);

  bool first = true;
  for (Elf64_Phdr& part : segments) switch (part.p_type) {
      case PT_LOAD:
        if (first)
          part = {PT_LOAD, PF_R | PF_W, 0, begin_, begin_, registration_size_, size_, alignment_};
        else
          part.p_type = PT_NULL;
        first = false;
        break;
      case PT_DYNAMIC:
        part.p_offset = part.p_vaddr - begin_;
        break;
      case PT_PHDR:
        part.p_vaddr = begin_ + table;
        break;
      case PT_GNU_EH_FRAME:
      case PT_GNU_STACK:
        break;
      default:
        part.p_type = PT_NULL;
    }
  header.e_type = ET_DYN;
  header.e_phoff = table;
  header.e_shoff = 0;
  header.e_shnum = 0;
  header.e_shstrndx = 0;

  registration_.push_back({0, bytes_of(&header, 1)});
  registration_.push_back({table, bytes_of(segments.data(), segments.size())});
  const std::vector<Elf64_Dyn> entries = registered_dynamic();
  registration_.push_back({dynamic.p_vaddr - begin_, bytes_of(entries.data(), entries.size())});
  for (const Elf64_Sxword tag : {Elf64_Sxword{DT_GNU_HASH}, Elf64_Sxword{DT_HASH}})
    if (const auto address = file_->dynamic_value(tag))
      registration_.push_back(
          {*address - begin_, bytes_of(file_->at<std::uint32_t>(*address, tag == DT_HASH ? 2 : 4).data(),
                                       tag == DT_HASH ? 2 : 4)});
}

link_map* Module::register_copy() const
{
  const MemoryFile file(soname_.substr(0, 200).c_str(), registration_size_);
  for (const RegistrationPiece& piece : registration_) file.write(piece.offset, piece.bytes);
  auto* map = static_cast<link_map*>(open_copy(file.path().c_str()));
  if (!map) fail(ErrorClass::intern, "cannot load a copy of %s: %s", file_->path().c_str(), dlerror());
  return map;
}

void Module::wake_debugger() const
{
  static const bool traced = is_traced();
  if (traced) close_copy(register_copy());
}

Module::Mapped Module::map_copy() const
{
  {
    const Holder guard(idle_mutex_);
    if (!idle_.empty()) {
      const Mapped copy = idle_.back();
      idle_.pop_back();
      return copy;
    }
  }
  link_map* map = register_copy();
  try {
    fill_copy(map);
  } catch (...) {
    close_copy(map);
    throw;
  }
  // The name under which debuggers, dladdr and dl_iterate_phdr know the copy.
  map->l_name = strdup(file_->path().c_str());
  return {reinterpret_cast<std::byte*>(map->l_addr), map};
}

void Module::give_back(const Mapped& copy) const noexcept
{
  try {
    fill_copy(copy.map);
    const Holder guard(idle_mutex_);
    idle_.push_back(copy);
  } catch (...) {
    // Without memory for that it stays as it is, for nobody.
  }
}

// Maps the file as it is over what was there before.
void Module::fill_copy(link_map* map) const
{
  auto* base = reinterpret_cast<std::byte*>(map->l_addr);
  // The loader keeps pointers to entries of the dynamic section, which now hold addresses: carry them over.
  const std::vector<std::byte> dynamic = bytes_of(map->l_ld, file_->dynamic().size());
  map_segments(base);
  std::memcpy(static_cast<void*>(map->l_ld), dynamic.data(), dynamic.size());
}

void Module::map_segments(std::byte* base) const
{
  const Elf64_Phdr& dynamic = *file_->segment(PT_DYNAMIC);
  Elf64_Addr end_of_last = begin_;
  std::vector<const Elf64_Phdr*> parts;
  for (const Elf64_Phdr& part : file_->segments())
    if (part.p_type == PT_LOAD && part.p_memsz != 0) parts.push_back(&part);
  std::sort(parts.begin(), parts.end(), [](const auto* a, const auto* b) { return a->p_vaddr < b->p_vaddr; });

  for (const Elf64_Phdr* part : parts) {
    const Elf64_Addr start = page_floor(part->p_vaddr);
    const Elf64_Addr file_end = part->p_vaddr + part->p_filesz;
    const Elf64_Addr file_pages = part->p_filesz ? page_ceil(file_end) : start;
    const Elf64_Addr end = page_ceil(part->p_vaddr + part->p_memsz);
    int protection = protection_of(*part);
    if (dynamic.p_vaddr >= part->p_vaddr && dynamic.p_vaddr < file_end) protection |= PROT_WRITE;

    if (start > end_of_last) map_over(base + end_of_last, start - end_of_last, PROT_NONE, -1, 0);
    map_over(base + start, file_pages - start, protection, file_->descriptor(), page_floor(part->p_offset));
    if (part->p_memsz > part->p_filesz) {
      if (part->p_filesz && (protection & PROT_WRITE)) std::memset(base + file_end, 0, file_pages - file_end);
      if (end > file_pages) map_over(base + file_pages, end - file_pages, protection, -1, 0);
    }
    end_of_last = std::max(end_of_last, end);
  }
}

void Module::protect(std::byte* base) const
{
  const auto set = [base](Elf64_Addr start, Elf64_Addr end, int protection) {
    if (end > start) mprotect(base + start, end - start, protection);
  };
  const Elf64_Phdr& dynamic = *file_->segment(PT_DYNAMIC);
  for (const Elf64_Phdr& part : file_->segments()) {
    // Rounded as ld.so rounds: a page that also holds writable data stays writable.
    if (part.p_type == PT_GNU_RELRO)
      set(page_floor(part.p_vaddr), page_floor(part.p_vaddr + part.p_memsz), PROT_READ);
    if (part.p_type == PT_LOAD && !(part.p_flags & PF_W) && dynamic.p_vaddr >= part.p_vaddr &&
        dynamic.p_vaddr < part.p_vaddr + part.p_filesz)
      set(page_floor(part.p_vaddr), page_ceil(part.p_vaddr + part.p_memsz), protection_of(part));
  }
}

}  // namespace ranklet::loader
