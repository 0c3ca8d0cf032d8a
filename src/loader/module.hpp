// One private object (the program or a library) as all ranks share it: where its segments go, how it is
// registered with the dynamic loader, and its relocations, bound once.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "loader/elf_file.hpp"
#include "loader/symbol_table.hpp"

namespace ranklet::loader {

// What a bound value is relative to: an index into a rank's table of base addresses.
using Slot = std::uint32_t;
inline constexpr Slot absolute_slot =
    0;  // base 0: addresses in shared libraries, thread-local offsets, constants
inline constexpr Slot variable_slot = 1;  // the rank's VariableSlots
inline constexpr Slot first_module_slot = 2;

struct RelativeRelocation {  // *(base + where) = base + addend
  Elf64_Addr where;
  Elf64_Xword addend;
};

struct BoundRelocation {  // *(base + where) = bases[slot] + value
  Elf64_Addr where;
  Elf64_Xword value;
  Slot slot;
};

struct CopyRelocation {  // memcpy(base + where, bases[slot] + value, size)
  Elf64_Addr where;
  Elf64_Xword value;
  Slot slot;
  std::size_t size;
};

class Module;
struct SharedObject;

// An object in a search scope: exactly one of the two is set.
struct ScopeObject {
  Module* module = nullptr;
  const SharedObject* shared = nullptr;
  bool operator==(const ScopeObject&) const = default;
};

class Module {
 public:
  Module(std::shared_ptr<const ElfFile> object, Slot its_slot, const Module* first_requester);

  const ElfFile& file() const noexcept { return *file_; }
  const SymbolTable& symbols() const noexcept { return symbols_; }
  Slot slot() const noexcept { return slot_; }
  const std::string& soname() const noexcept { return soname_; }  // the file's name if it has none
  // This module, the one that needed it first, and so on.
  std::vector<const ElfFile*> requesters() const;

  // Adds a copy to this process and tells the dynamic loader of it; no relocation is applied and all of the
  // image that relocations change is writable. Throws Error. Any thread.
  struct Mapped {
    std::byte* base;  // add to virtual addresses
    link_map* map;
  };
  Mapped map_copy() const;
  // Nobody uses the copy any more: its memory is given back, and the next map_copy() gives it once more, as
  // the dynamic loader knows it already. Any thread.
  void give_back(const Mapped& copy) const noexcept;
  // Makes a debugger that is attached look at the list of objects again: it has seen new copies before
  // map_copy() gave them their names.
  void wake_debugger() const;
  // Removes write access from what is read-only after relocation.
  void protect(std::byte* base) const;

  bool contains(Elf64_Addr address) const noexcept { return address >= begin_ && address - begin_ < size_; }

  // Thread-local storage: distance of its start below the thread pointer; 0 if it has none.
  std::size_t tls_offset = 0;
  const Elf64_Phdr* tls_segment() const noexcept { return file_->segment(PT_TLS); }
  bool dynamic_storage = false;  // it lies in blocks of its own instead: thread_blocks.hpp
  bool opened_later = false;     // by dlopen
  // The arguments of its TLS descriptors that lead to such blocks.
  struct DescriptorArgument {
    std::uint64_t slot;
    std::uint64_t offset;
  };
  std::deque<DescriptorArgument> descriptor_arguments;

  // Objects that DT_NEEDED names, in its order.
  std::vector<ScopeObject> needed;

  // Filled by bind().
  std::vector<RelativeRelocation> relative;
  std::vector<BoundRelocation> bound;
  std::vector<BoundRelocation> indirect;  // the value is a resolver's address (IFUNC)
  std::vector<CopyRelocation> copies;

 private:
  struct RegistrationPiece {  // bytes of the registration file
    std::size_t offset;
    std::vector<std::byte> bytes;
  };
  void describe_registration();
  std::vector<Elf64_Dyn> registered_dynamic() const;
  link_map* register_copy() const;
  void fill_copy(link_map* map) const;
  void map_segments(std::byte* base) const;

  std::shared_ptr<const ElfFile> file_;
  SymbolTable symbols_;
  Slot slot_;
  std::string soname_;
  const Module* requester_;
  Elf64_Addr begin_ = 0;  // of the address range, aligned as the segments want
  std::size_t size_ = 0;
  std::size_t alignment_ = page_size;
  std::vector<RegistrationPiece> registration_;
  std::size_t registration_size_ = 0;
  mutable Mutex idle_mutex_;
  // Copies that were given back; they are as map_copy() leaves them.
  mutable std::vector<Mapped> idle_ RANKLET_GUARDED_BY(idle_mutex_);
};

}  // namespace ranklet::loader
