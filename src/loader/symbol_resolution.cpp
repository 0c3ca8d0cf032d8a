#include "loader/symbol_resolution.hpp"

#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "loader/thread_blocks.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

[[noreturn]] void undefined_function_called(const char* name)
{
  std::fprintf(stderr, "ranklet: a program called %s, which no library defines\n", name);
  std::_Exit(127);
}

// A function that reports the call of an undefined one: a process that binds lazily fails only then, too.
void* stub_for_undefined(const char* name)
{
  // mov $name, %rdi; mov $undefined_function_called, %rax; jmp *%rax
  std::array<unsigned char, 22> code = {0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0,    0x48,
                                        0xb8, 0,    0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  void (*const target)(const char*) = &undefined_function_called;
  std::memcpy(&code[2], &name, sizeof name);
  std::memcpy(&code[12], &target, sizeof target);
  void* page = mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) fail(ErrorClass::no_mem, "no memory for a call to %s", name);
  std::memcpy(page, code.data(), code.size());
  mprotect(page, page_size, PROT_READ | PROT_EXEC);
  return page;
}

}  // namespace

Definition SymbolResolution::resolve(std::size_t index, unsigned type)
{
  if (index == 0) {
    Definition self;
    self.module = &module_;
    self.slot = module_.slot();
    return self;
  }
  auto& known = (type == R_X86_64_JUMP_SLOT ? jumps_ : addresses_);
  if (index >= known.size()) known.resize(index + 1);
  if (!known[index]) known[index] = search(index, type);
  return *known[index];
}

Definition SymbolResolution::resolve_copy(std::size_t index) const
{
  const Elf64_Sym& own = module_.symbols().symbol(index);
  const SymbolName name(name_of(own), module_.symbols().version_of(index));
  const auto found = find_definition(set_, scope_, name, &module_);
  if (!found) missing(own);
  return *found;
}

Definition SymbolResolution::search(std::size_t index, unsigned type) const
{
  const Elf64_Sym& own = module_.symbols().symbol(index);
  const unsigned visibility = ELF64_ST_VISIBILITY(own.st_other);
  const bool defined = own.st_shndx != SHN_UNDEF;
  const bool symbolic =
      module_.file().dynamic_value(DT_SYMBOLIC) || module_.file().has_dynamic_flag(DF_SYMBOLIC);
  if (defined && (ELF64_ST_BIND(own.st_info) == STB_LOCAL || visibility != STV_DEFAULT || symbolic))
    return module_definition(module_, own);

  if (module_.opened_later && std::strcmp(name_of(own), "__tls_get_addr") == 0) {
    Definition ours;
    ours.value = address_of(tls_get_addr_function());
    return ours;
  }
  SymbolName name(name_of(own), module_.symbols().version_of(index));
  name.accept_plt_address = type != R_X86_64_JUMP_SLOT;
  if (const auto found = find_definition(set_, scope_, name)) return *found;
  const bool weak = ELF64_ST_BIND(own.st_info) == STB_WEAK;
  if (!weak)  // a shared library's own libraries are not in the scope
    for (const SharedObject* object : set_.host_libraries())
      if (const Elf64_Sym* found = object->symbols.find(name))
        return outside_definition(set_, name, shared_definition(*object, *found));
  if (weak) return {};
  if (type != R_X86_64_JUMP_SLOT || module_.file().has_dynamic_flag(DF_BIND_NOW) ||
      module_.file().has_dynamic_flag_1(DF_1_NOW))
    missing(own);
  Definition stub;
  stub.value = address_of(stub_for_undefined(name_of(own)));
  return stub;
}

void SymbolResolution::missing(const Elf64_Sym& symbol) const
{
  const char* version =
      module_.symbols().version_of(static_cast<std::size_t>(&symbol - &module_.symbols().symbol(0)));
  fail(ErrorClass::arg, "%s needs the symbol %s%s%s, which none of its libraries defines",
       module_.file().path().c_str(), name_of(symbol), version ? " of version " : "", version ? version : "");
}

}  // namespace ranklet::loader
