#include "base/frame_variables.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <map>
#include <utility>

#include "base/symbol_file.hpp"

namespace ranklet {

namespace {

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
    case DW_OP_reg0 + frame_pointer_number:
      return {Anchor::frame_pointer, 0};
    case DW_OP_breg0 + frame_pointer_number:
      return {Anchor::frame_pointer, offset};
    case DW_OP_reg0 + stack_pointer_number:
      return {Anchor::stack_pointer, 0};
    case DW_OP_breg0 + stack_pointer_number:
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

}  // namespace

std::vector<FrameVariable> variables_at(const void* code)
{
  // Guarded by the lock of with_symbol_file(); never destroyed, as what it is from.
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

}  // namespace ranklet
