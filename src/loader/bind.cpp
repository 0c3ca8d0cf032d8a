#include "loader/bind.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "loader/symbol_resolution.hpp"
#include "loader/thread_blocks.hpp"
#include "process/thread_storage.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

// The resolver of a TLS descriptor whose argument is the distance from the thread pointer: returns it in %rax
// and keeps all other registers (x86-64 psABI, TLS descriptors).
extern "C" void ranklet_tls_descriptor();
asm(R"(
  .text
  .local ranklet_tls_descriptor
  .type ranklet_tls_descriptor, @function
ranklet_tls_descriptor:
  endbr64
  mov 8(%rax), %rax
  ret
  .size ranklet_tls_descriptor, .-ranklet_tls_descriptor
)");

class Binder {
 public:
  Binder(const ModuleSet& set, Module& module, const std::vector<ScopeObject>& scope)
      : module_(module), symbols_(set, module, scope)
  {
  }

  void bind_all()
  {
    const ElfFile& file = module_.file();
    bind_relative(file.table<Elf64_Xword>(DT_RELR, DT_RELRSZ));
    for (const Elf64_Rela& entry : file.table<Elf64_Rela>(DT_RELA, DT_RELASZ)) bind_one(entry);
    if (file.dynamic_value(DT_PLTREL).value_or(DT_RELA) == DT_RELA)
      for (const Elf64_Rela& entry : file.table<Elf64_Rela>(DT_JMPREL, DT_PLTRELSZ)) bind_one(entry);
  }

  void find_static_storage(std::vector<Module*>& modules)
  {
    for (const Elf64_Rela& entry : module_.file().table<Elf64_Rela>(DT_RELA, DT_RELASZ)) {
      const auto type = static_cast<unsigned>(ELF64_R_TYPE(entry.r_info));
      if (type != R_X86_64_TPOFF64) continue;
      const Definition definition =
          symbols_.resolve(static_cast<std::size_t>(ELF64_R_SYM(entry.r_info)), type);
      if (definition.module) modules.push_back(definition.module);
    }
  }

 private:
  const char* path() const { return module_.file().path().c_str(); }

  // Packed relative relocations: an even entry is an address, an odd one a bitmap of the 63 words behind it.
  void bind_relative(std::span<const Elf64_Xword> entries)
  {
    Elf64_Addr next = 0;
    const auto add = [this](Elf64_Addr where) {
      module_.relative.push_back({where, module_.file().word(where)});
    };
    for (const Elf64_Xword entry : entries) {
      if ((entry & 1) == 0) {
        add(entry);
        next = entry + 8;
      } else {
        for (unsigned bit = 1; bit < 64; ++bit)
          if (entry >> bit & 1) add(next + 8 * (bit - 1));
        next += 8 * 63;
      }
    }
  }

  void bind_one(const Elf64_Rela& entry)
  {
    const auto type = static_cast<unsigned>(ELF64_R_TYPE(entry.r_info));
    const auto index = static_cast<std::size_t>(ELF64_R_SYM(entry.r_info));
    const auto addend = static_cast<Elf64_Xword>(entry.r_addend);
    switch (type) {
      case R_X86_64_NONE:
        break;
      case R_X86_64_RELATIVE:
        check_place(entry.r_offset);
        module_.relative.push_back({entry.r_offset, addend});
        break;
      case R_X86_64_IRELATIVE:
        check_place(entry.r_offset);
        module_.indirect.push_back({entry.r_offset, addend, module_.slot()});
        break;
      case R_X86_64_GLOB_DAT:
      case R_X86_64_JUMP_SLOT:
        put(entry.r_offset, symbols_.resolve(index, type), 0);
        break;
      case R_X86_64_64:
        put(entry.r_offset, symbols_.resolve(index, type), addend);
        break;
      case R_X86_64_COPY:
        copy(entry.r_offset, index);
        break;
      case R_X86_64_DTPMOD64:
        put_constant(entry.r_offset, module_number(symbols_.resolve(index, type)));
        // For a variable of its own the linker writes the offset, the second word, without a relocation.
        if (index == 0)
          put_constant(entry.r_offset + 8,
                       dynamic_offset(symbols_.resolve(0, type), module_.file().word(entry.r_offset + 8)));
        break;
      case R_X86_64_DTPOFF64:
        put_constant(entry.r_offset, dynamic_offset(symbols_.resolve(index, type), addend));
        break;
      case R_X86_64_TPOFF64:
        put_constant(entry.r_offset, static_offset(symbols_.resolve(index, type), index) + addend);
        break;
      case R_X86_64_TLSDESC:
        put_descriptor(entry.r_offset, symbols_.resolve(index, type), index, addend);
        break;
      case R_X86_64_SIZE64: {
        const Definition definition = symbols_.resolve(index, type);
        put_constant(entry.r_offset, (definition.symbol ? definition.symbol->st_size : 0) + addend);
        break;
      }
      default:
        fail(ErrorClass::arg,
             "%s has a relocation of type %u, which position-independent code does not need: "
             "compile all of it with -fPIE or -fPIC",
             path(), type);
    }
  }

  void check_place(Elf64_Addr where) const
  {
    for (const Elf64_Phdr& part : module_.file().segments()) {
      if (part.p_type != PT_LOAD || where < part.p_vaddr || where - part.p_vaddr + 8 > part.p_memsz) continue;
      if (part.p_flags & PF_W) return;
      fail(ErrorClass::arg, "%s has relocations in its code: compile all of it with -fPIE or -fPIC", path());
    }
    fail(ErrorClass::arg, "%s is damaged: it has a relocation outside of its segments", path());
  }

  void put(Elf64_Addr where, const Definition& definition, Elf64_Xword addend)
  {
    check_place(where);
    auto& list = definition.indirect ? module_.indirect : module_.bound;
    list.push_back({where, definition.value + (definition.indirect ? 0 : addend), definition.slot});
  }

  void put_constant(Elf64_Addr where, Elf64_Xword value)
  {
    check_place(where);
    module_.bound.push_back({where, value, absolute_slot});
  }

  void put_descriptor(Elf64_Addr where, const Definition& definition, std::size_t index, Elf64_Xword addend)
  {
    if (definition.module && definition.module->dynamic_storage) {
      module_.descriptor_arguments.push_back({definition.module->slot(), definition.value + addend});
      put_constant(where, address_of(tls_descriptor_function()));
      put_constant(where + 8, address_of(&module_.descriptor_arguments.back()));
    } else {
      put_constant(where, address_of(reinterpret_cast<void*>(&ranklet_tls_descriptor)));
      put_constant(where + 8, static_offset(definition, index) + addend);
    }
  }

  void copy(Elf64_Addr where, std::size_t index)
  {
    check_place(where);
    const Elf64_Sym& own = module_.symbols().symbol(index);
    const Definition found = symbols_.resolve_copy(index);
    const std::size_t size = found.symbol ? std::min(own.st_size, found.symbol->st_size) : own.st_size;
    module_.copies.push_back({where, found.value, found.slot, size});
  }

  // What has a fixed place lies in the host executable's block, which is module 1.
  static Elf64_Xword module_number(const Definition& definition)
  {
    if (definition.module && definition.module->dynamic_storage) return tls_module_word(*definition.module);
    if (!definition.shared) return 1;
    std::size_t number = 0;
    dlinfo(definition.shared->map, RTLD_DI_TLS_MODID, &number);
    return number;
  }

  static Elf64_Xword dynamic_offset(const Definition& definition, Elf64_Xword addend)
  {
    if (!definition.module || definition.module->dynamic_storage) return definition.value + addend;
    return definition.value + addend + static_cast<Elf64_Xword>(host_block_size) -
           definition.module->tls_offset;
  }

  Elf64_Xword static_offset(const Definition& definition, std::size_t index) const
  {
    if (!definition.module && !definition.shared) return 0;  // weak and undefined
    return static_cast<Elf64_Xword>(
        thread_offset(definition, module_.symbols().name_of(module_.symbols().symbol(index))));
  }

  Module& module_;
  SymbolResolution symbols_;
};

}  // namespace

void find_static_storage(const ModuleSet& set, Module& module, const std::vector<ScopeObject>& scope,
                         std::vector<Module*>& modules)
{
  Binder(set, module, scope).find_static_storage(modules);
}

void bind(const ModuleSet& set, Module& module, const std::vector<ScopeObject>& scope)
{
  Binder(set, module, scope).bind_all();
}

}  // namespace ranklet::loader
