#include "base/fortran_site.hpp"

#include <string_view>

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include "base/source_line.hpp"

namespace ranklet {

bool is_in_fortran_library(const void* code) noexcept
{
  dl_find_object found;
  if (code == nullptr || ::_dl_find_object(const_cast<void*>(code), &found) != 0) return false;
  const char* const name = found.dlfo_link_map->l_name;
  return name != nullptr && std::string_view(name).find("/libmpifort_abi.so") != std::string_view::npos;
}

const void* users_site(const void* site) noexcept
{
  if (!is_in_fortran_library(site)) return site;
  struct Search {
    const void* inner;            // where the library's call returns to
    bool passed = false;          // the walk has come there
    const void* found = nullptr;  // the first place outside the library
  } search{site};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* argument) {
        auto& walk = *static_cast<Search*>(argument);
        const auto* const place = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        if (place == walk.inner) walk.passed = true;
        if (!walk.passed || is_in_fortran_library(place)) return _URC_NO_REASON;
        walk.found = place;
        return _URC_END_OF_STACK;
      },
      &search);
  return search.found != nullptr ? search.found : site;
}

std::string place_of_other_call(const void* site)
{
  return site && !is_in_fortran_library(site) ? " in " + describe_call_site(site) : std::string();
}

}  // namespace ranklet
