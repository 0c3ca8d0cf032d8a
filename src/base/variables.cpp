#include "base/variables.hpp"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/symbol_file.hpp"

namespace ranklet {

namespace {

// --- static storage

struct Symbol {
  GElf_Addr begin;
  GElf_Xword size;
  std::string name;
};

// Of objects, by address.
std::vector<Symbol> objects_of(const SymbolFile& file)
{
  std::vector<Symbol> objects;
  if (file.module() == nullptr) return objects;
  const int number = dwfl_module_getsymtab(file.module());
  for (int i = 1; i < number; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name =
        dwfl_module_getsym_info(file.module(), i, &symbol, &address, nullptr, nullptr, nullptr);
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (name == nullptr || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF) continue;
    if (type == STT_OBJECT || type == STT_COMMON) objects.push_back({address, symbol.st_size, name});
  }
  std::ranges::sort(objects, {}, &Symbol::begin);
  return objects;
}

std::optional<Variable> static_variable(std::uintptr_t address)
{
  // Guarded by the lock of with_symbol_file(); never destroyed, as what it is from.
  static std::map<std::string, std::vector<Symbol>>& known = *new std::map<std::string, std::vector<Symbol>>;
  std::optional<Variable> found;
  with_symbol_file(
      reinterpret_cast<const void*>(address), [&](const SymbolFile& file, const PlaceInFile& place) {
        const auto [objects, is_new] = known.try_emplace(place.path);
        if (is_new) objects->second = objects_of(file);
        const std::vector<Symbol>& all = objects->second;
        const GElf_Addr wanted = SymbolFile::place + place.offset;
        auto next = std::ranges::upper_bound(all, wanted, {}, &Symbol::begin);
        // Several names may stand for parts of one object.
        for (int tries = 8; next != all.begin() && tries > 0; --tries) {
          --next;
          if (wanted - next->begin >= next->size || (found && found->size >= next->size)) continue;
          found = Variable{demangled(next->name.c_str()), address - (wanted - next->begin), next->size};
        }
      });
  return found;
}

// --- the stack

// A place in a frame: so much above one of these.
enum class Anchor { none, canonical_frame_address, frame_pointer, stack_pointer };
struct FramePlace {
  Anchor anchor = Anchor::none;
  std::int64_t offset = 0;
};

struct FrameVariable {
  std::string name;
  FramePlace place;
  std::size_t size;
};

// The registers' numbers in debug information and for the unwinder (System V ABI for x86-64).
constexpr int frame_pointer = 6;
constexpr int stack_pointer = 7;

// The only operation of a location at this place in the code.
const Dwarf_Op* location(Dwarf_Die* die, unsigned attribute, Dwarf_Addr code)
{
  Dwarf_Attribute value;
  Dwarf_Op* operations = nullptr;
  std::size_t length = 0;
  if (dwarf_attr_integrate(die, attribute, &value) == nullptr ||
      dwarf_getlocation_addr(&value, code, &operations, &length, 1) != 1 || length != 1)
    return nullptr;
  return operations;
}

// Of an operation that counts from a register, or is one, as a frame's base may be.
FramePlace place_of(const Dwarf_Op& operation)
{
  const auto offset = static_cast<std::int64_t>(operation.number);
  switch (operation.atom) {
    case DW_OP_call_frame_cfa:
      return {Anchor::canonical_frame_address, 0};
    case DW_OP_reg0 + frame_pointer:
      return {Anchor::frame_pointer, 0};
    case DW_OP_breg0 + frame_pointer:
      return {Anchor::frame_pointer, offset};
    case DW_OP_reg0 + stack_pointer:
      return {Anchor::stack_pointer, 0};
    case DW_OP_breg0 + stack_pointer:
      return {Anchor::stack_pointer, offset};
    default:
      return {};
  }
}

FramePlace base_of(Dwarf_Die* function, Dwarf_Addr code)
{
  const Dwarf_Op* const operation = location(function, DW_AT_frame_base, code);
  return operation != nullptr ? place_of(*operation) : FramePlace();
}

// Where it lies in memory, in a frame with that base.
FramePlace variable_place(Dwarf_Die* variable, Dwarf_Addr code, FramePlace base)
{
  const Dwarf_Op* const operation = location(variable, DW_AT_location, code);
  if (operation == nullptr) return {};
  if (operation->atom == DW_OP_fbreg)
    return {base.anchor, base.offset + static_cast<std::int64_t>(operation->number)};
  const bool is_register = operation->atom >= DW_OP_reg0 && operation->atom <= DW_OP_reg31;
  return is_register ? FramePlace() : place_of(*operation);
}

std::size_t size_of(Dwarf_Die* variable)
{
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  Dwarf_Word size = 0;
  if (dwarf_attr_integrate(variable, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_aggregate_size(&type, &size) != 0)
    return 0;
  return size;
}

// Of the functions and blocks below `parent` that hold this code.
void collect(Dwarf_Die* parent, Dwarf_Addr code, FramePlace base, std::vector<FrameVariable>& found)
{
  Dwarf_Die die;
  if (dwarf_child(parent, &die) != 0) return;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_namespace:
      case DW_TAG_module:
        collect(&die, code, base, found);
        break;
      case DW_TAG_subprogram:
        if (dwarf_haspc(&die, code) == 1) collect(&die, code, base_of(&die, code), found);
        break;
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine:
        if (dwarf_haspc(&die, code) == 1) collect(&die, code, base, found);
        break;
      case DW_TAG_variable:
      case DW_TAG_formal_parameter: {
        const FramePlace place = variable_place(&die, code, base);
        const char* const name = dwarf_diename(&die);
        const std::size_t size = place.anchor != Anchor::none && name != nullptr ? size_of(&die) : 0;
        if (size > 0) found.push_back({name, place, size});
        break;
      }
      default:
        break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

// Of the frame that is in this code, whose call returns to `code` + 1.
std::vector<FrameVariable> variables_at(const void* code)
{
  // As in static_variable().
  using Known = std::map<std::pair<std::string, std::uintptr_t>, std::vector<FrameVariable>>;
  static Known& known = *new Known;
  std::vector<FrameVariable> found;
  with_symbol_file(code, [&](const SymbolFile& file, const PlaceInFile& place) {
    const auto [variables, is_new] = known.try_emplace({place.path, place.offset});
    if (is_new) {
      const GElf_Addr address = SymbolFile::place + place.offset;
      Dwarf_Addr bias = 0;
      if (Dwarf_Die* const unit = file.unit_of(address, bias))
        collect(unit, address - bias, {}, variables->second);
    }
    found = variables->second;
  });
  return found;
}

// The frame of the calling thread that holds an address.
struct FrameSearch {
  std::uintptr_t address;
  // Of the last frame seen: where its call returns to, and what these registers held there.
  std::uintptr_t code = 0;
  std::uintptr_t frame = 0, stack = 0;
  std::uintptr_t cfa = 0;  // canonical frame address of the one found; 0: none

  std::uintptr_t value_of(Anchor anchor) const
  {
    return anchor == Anchor::frame_pointer ? frame : anchor == Anchor::stack_pointer ? stack : cfa;
  }
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* closure)
{
  auto& search = *static_cast<FrameSearch*>(closure);
  // The unwinder tells of a frame where the one that it has called begins: its stack pointer at that call.
  const std::uintptr_t end_of_last = _Unwind_GetCFA(context);
  if (search.code != 0 && search.address < end_of_last) {
    search.cfa = end_of_last;
    return _URC_NORMAL_STOP;
  }
  search.code = _Unwind_GetIP(context);
  search.frame = _Unwind_GetGR(context, frame_pointer);
  search.stack = end_of_last;
  return _URC_NO_REASON;
}

bool is_on_own_stack(std::uintptr_t address)
{
  struct Bounds {
    std::uintptr_t end = 0;
    Bounds()
    {
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
      void* begin = nullptr;
      std::size_t size = 0;
      if (pthread_attr_getstack(&attributes, &begin, &size) == 0)
        end = reinterpret_cast<std::uintptr_t>(begin) + size;
      pthread_attr_destroy(&attributes);
    }
  };
  static thread_local const Bounds bounds;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return address > here && address < bounds.end;
}

// What a thread has found last: programs give the same buffers again and again.
struct StackAnswer {
  std::uintptr_t address = 0;
  // It holds as long as the frame has called from the same place, at the same depth.
  std::uintptr_t depth = 0, code = 0;
  const std::uintptr_t* return_address = nullptr;
  std::optional<Variable> variable;

  bool holds(std::uintptr_t wanted, std::uintptr_t now) const
  {
    return address == wanted && depth == now && *return_address == code;
  }
};

struct StaticAnswer {
  const link_map* object = nullptr;  // where it is, while that is loaded
  Variable variable;
};

struct Answers {
  std::array<StackAnswer, 16> of_stack;
  std::array<StaticAnswer, 16> of_files;

  // One pointer for each thread, as the library has little room for variables of threads.
  static Answers& own()
  {
    static thread_local const auto answers = std::make_unique<Answers>();
    return *answers;
  }
  static std::size_t slot(std::uintptr_t address) { return (address * 0x9E3779B97F4A7C15u >> 32) % 16; }
};

std::optional<Variable> search_stack(std::uintptr_t address, StackAnswer& answer)
{
  FrameSearch search{address};
  _Unwind_Backtrace(look_at_frame, &search);
  std::optional<Variable> found;
  if (search.cfa == 0) return found;
  for (const FrameVariable& variable : variables_at(reinterpret_cast<const void*>(search.code - 1))) {
    const std::uintptr_t begin =
        search.value_of(variable.place.anchor) + static_cast<std::uintptr_t>(variable.place.offset);
    if (address - begin >= variable.size || (found && found->size >= variable.size)) continue;
    found = Variable{variable.name, begin, variable.size};
  }
  // A call pushes where it returns to (System V ABI).
  const auto* const pushed = reinterpret_cast<const std::uintptr_t*>(search.stack) - 1;
  if (*pushed == search.code) {
    answer.code = search.code;
    answer.return_address = pushed;
    answer.variable = found;
    answer.address = address;
  }
  return found;
}

std::optional<Variable> stack_variable(std::uintptr_t address)
{
  const auto depth = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  StackAnswer& answer = Answers::own().of_stack[Answers::slot(address)];
  if (answer.holds(address, depth)) return answer.variable;
  answer = {};
  answer.depth = depth;
  return search_stack(address, answer);
}

}  // namespace

std::optional<Variable> find_variable(std::uintptr_t address)
{
  if (is_on_own_stack(address)) return stack_variable(address);
  // Takes no lock.
  dl_find_object object;
  if (::_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) return {};
  StaticAnswer& answer = Answers::own().of_files[Answers::slot(address)];
  if (answer.object == object.dlfo_link_map && address - answer.variable.begin < answer.variable.size)
    return answer.variable;
  std::optional<Variable> found = static_variable(address);
  if (found) answer = {object.dlfo_link_map, *found};
  return found;
}

}  // namespace ranklet
