#include "api/handles/handles.hpp"

#include "api/handles/names.hpp"

namespace ranklet::api {

void bad_handle(std::uintptr_t value, unsigned kind, std::uint32_t null, const char* what,
                ErrorClass error_class, const char* argument)
{
  if (value == null) fail(error_class, "%s is %s", argument, constant_of_handle(value));
  if (value < first_dynamic_handle) {
    if (const char* name = constant_of_handle(value))
      fail(error_class, "%s is %s, which is no %s here", argument, name, what);
    fail(error_class, "%s has the value %#lx, which is no %s", argument, static_cast<unsigned long>(value),
         what);
  }
  const std::uintptr_t found = value >> (slot_bits + generation_bits);
  if (found == kind)
    fail(error_class, "%s is a %s that was freed or completed, or never existed (handle %#lx)", argument,
         what, static_cast<unsigned long>(value));
  if (const char* other = handle_kind_name(found))
    fail(error_class, "%s is not a %s but a %s (handle %#lx)", argument, what, other,
         static_cast<unsigned long>(value));
  fail(error_class, "%s is no %s: its value %#lx was never given out", argument, what,
       static_cast<unsigned long>(value));
}

void not_freeable(std::uintptr_t value, const char* what, ErrorClass error_class, const char* argument)
{
  const char* name = constant_of_handle(value);
  fail(error_class, "%s is the predefined %s %s, which may not be freed", argument, what, name ? name : "");
}

void too_many_handles(const char* what)
{
  fail(ErrorClass::no_mem, "more than %u objects of the kind %s at a time", max_slots, what);
}

}  // namespace ranklet::api
