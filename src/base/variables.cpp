#include "base/variables.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/frame_variables.hpp"
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
  search.frame = _Unwind_GetGR(context, frame_pointer_number);
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
