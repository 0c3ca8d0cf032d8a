#include "loader/symbol_table.hpp"

#include <cstring>

#include "loader/elf_file.hpp"

namespace ranklet::loader {
namespace {

constexpr unsigned version_hidden = 0x8000;
constexpr unsigned version_index = 0x7fff;

std::uint32_t gnu_hash_of(const char* text) noexcept
{
  std::uint32_t hash = 5381;
  for (; *text; ++text) hash = hash * 33 + static_cast<unsigned char>(*text);
  return hash;
}

std::uint32_t hash_of(const char* text) noexcept
{
  std::uint32_t hash = 0;
  for (; *text; ++text) {
    hash = (hash << 4) + static_cast<unsigned char>(*text);
    const std::uint32_t high = hash & 0xf0000000;
    hash ^= high >> 24;
    hash &= ~high;
  }
  return hash;
}

template <class T>
const T* step(const T* from, std::size_t bytes) noexcept
{
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
}

template <class To, class From>
const To* part_of(const From* from, std::size_t bytes) noexcept
{
  return reinterpret_cast<const To*>(reinterpret_cast<const char*>(from) + bytes);
}

}  // namespace

SymbolName::SymbolName(const char* symbol, const char* wanted_version) noexcept
    : text(symbol), version(wanted_version), gnu_hash(gnu_hash_of(symbol)), hash(hash_of(symbol))
{
}

SymbolTable::SymbolTable(const ElfFile& file)
{
  const auto pointer = [&file]<class T>(Elf64_Sxword tag, const T*& result) {
    if (const auto address = file.dynamic_value(tag)) result = file.at<T>(*address, 1).data();
  };
  const Elf64_Verdef* defined = nullptr;
  const Elf64_Verneed* needed = nullptr;
  pointer(DT_SYMTAB, symbols_);
  pointer(DT_STRTAB, strings_);
  pointer(DT_GNU_HASH, gnu_hash_);
  pointer(DT_HASH, hash_);
  pointer(DT_VERSYM, versions_);
  pointer(DT_VERDEF, defined);
  pointer(DT_VERNEED, needed);
  read_versions(defined, needed);
}

SymbolTable::SymbolTable(const link_map& loaded)
{
  const auto pointer = [&loaded]<class T>(const Elf64_Dyn& entry, const T*& result) {
    // The C library turns these into addresses, except in objects whose dynamic section is read-only (the
    // vDSO).
    Elf64_Addr address = entry.d_un.d_ptr;
    if (address < loaded.l_addr) address += loaded.l_addr;
    result = reinterpret_cast<const T*>(address);
  };
  const Elf64_Verdef* defined = nullptr;
  const Elf64_Verneed* needed = nullptr;
  for (const Elf64_Dyn* entry = loaded.l_ld; entry && entry->d_tag != DT_NULL; ++entry)
    switch (entry->d_tag) {
      case DT_SYMTAB:
        pointer(*entry, symbols_);
        break;
      case DT_STRTAB:
        pointer(*entry, strings_);
        break;
      case DT_GNU_HASH:
        pointer(*entry, gnu_hash_);
        break;
      case DT_HASH:
        pointer(*entry, hash_);
        break;
      case DT_VERSYM:
        pointer(*entry, versions_);
        break;
      case DT_VERDEF:
        pointer(*entry, defined);
        break;
      case DT_VERNEED:
        pointer(*entry, needed);
        break;
      default:
        break;
    }
  read_versions(defined, needed);
}

void SymbolTable::read_versions(const Elf64_Verdef* defined, const Elf64_Verneed* needed)
{
  const auto put = [this](unsigned index, Elf64_Word name) {
    index &= version_index;
    if (index >= version_names_.size()) version_names_.resize(index + 1, nullptr);
    version_names_[index] = strings_ + name;
  };
  while (defined) {
    // The base definition names the file, not a version.
    if (!(defined->vd_flags & VER_FLG_BASE))
      put(defined->vd_ndx, part_of<Elf64_Verdaux>(defined, defined->vd_aux)->vda_name);
    defined = defined->vd_next ? step(defined, defined->vd_next) : nullptr;
  }
  while (needed) {
    const auto* entry = part_of<Elf64_Vernaux>(needed, needed->vn_aux);
    for (unsigned i = 0; i < needed->vn_cnt; ++i) {
      put(entry->vna_other, entry->vna_name);
      entry = step(entry, entry->vna_next);
    }
    needed = needed->vn_next ? step(needed, needed->vn_next) : nullptr;
  }
}

const char* SymbolTable::version_of(std::size_t index) const noexcept
{
  if (!versions_) return nullptr;
  const unsigned number = versions_[index] & version_index;
  return number < version_names_.size() ? version_names_[number] : nullptr;
}

bool SymbolTable::matches(std::size_t index, const SymbolName& name) const noexcept
{
  const Elf64_Sym& found = symbols_[index];
  if (ELF64_ST_BIND(found.st_info) == STB_LOCAL) return false;
  const unsigned type = ELF64_ST_TYPE(found.st_info);
  if (type > STT_COMMON && type != STT_TLS && type != STT_GNU_IFUNC) return false;
  if (found.st_shndx == SHN_UNDEF && !(name.accept_plt_address && found.st_value != 0)) return false;
  if (found.st_value == 0 && found.st_shndx != SHN_ABS && type != STT_TLS) return false;
  if (std::strcmp(strings_ + found.st_name, name.text) != 0) return false;
  if (!versions_) return true;
  const bool hidden = versions_[index] & version_hidden;
  if (!name.version) return !hidden;
  const char* version = version_of(index);
  return version ? std::strcmp(version, name.version) == 0 : !hidden;
}

const Elf64_Sym* SymbolTable::find(const SymbolName& name) const noexcept
{
  if (!symbols_ || !strings_) return nullptr;
  if (gnu_hash_) {
    const std::uint32_t bucket_count = gnu_hash_[0];
    const std::uint32_t first_hashed = gnu_hash_[1];
    const std::uint32_t bloom_words = gnu_hash_[2];
    const std::uint32_t bloom_shift = gnu_hash_[3];
    if (bucket_count == 0 || bloom_words == 0) return nullptr;
    const auto* bloom = reinterpret_cast<const std::uint64_t*>(gnu_hash_ + 4);
    const auto* buckets = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
    const std::uint32_t* chain = buckets + bucket_count;
    const std::uint64_t word = bloom[(name.gnu_hash / 64) % bloom_words];
    if (!((word >> (name.gnu_hash % 64)) & (word >> ((name.gnu_hash >> bloom_shift) % 64)) & 1))
      return nullptr;
    std::uint32_t index = buckets[name.gnu_hash % bucket_count];
    if (index < first_hashed) return nullptr;
    for (;; ++index) {
      const std::uint32_t entry = chain[index - first_hashed];
      if ((entry | 1) == (name.gnu_hash | 1) && matches(index, name)) return &symbols_[index];
      if (entry & 1) return nullptr;  // the last of its bucket
    }
  }
  if (hash_) {
    const std::uint32_t bucket_count = hash_[0];
    if (bucket_count == 0) return nullptr;
    const std::uint32_t* buckets = hash_ + 2;
    const std::uint32_t* chain = buckets + bucket_count;
    for (std::uint32_t index = buckets[name.hash % bucket_count]; index != 0; index = chain[index])
      if (matches(index, name)) return &symbols_[index];
  }
  return nullptr;
}

}  // namespace ranklet::loader
