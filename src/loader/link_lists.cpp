#include "loader/link_lists.hpp"

#include <dlfcn.h>

#include <array>

#include "base/guarded.hpp"
#include "base/sanitizer_runtime.hpp"

namespace ranklet::loader {
namespace {

// glibc has 16 namespaces in all; some are left to the programs.
constexpr std::size_t further = 12;

// Process-wide, as the lists are.
struct Lists {
  Mutex mutex;
  int open RANKLET_GUARDED_BY(mutex) = 0;          // in the base list
  std::size_t next RANKLET_GUARDED_BY(mutex) = 0;  // among the further ones
  std::array<Lmid_t, further> names RANKLET_GUARDED_BY(mutex);
  std::array<int, further> sizes RANKLET_GUARDED_BY(mutex){};  // with none left in it, a namespace has ended

  static Lists& all()
  {
    static Lists& lists = *new Lists;  // copies are closed until the very end
    return lists;
  }
};

constexpr int opening_flags = RTLD_NOW | RTLD_LOCAL;

void* open_in_base(Lists& lists, const char* file) RANKLET_REQUIRES(lists.mutex)
{
  void* const copy = dlopen(file, opening_flags);
  if (copy != nullptr) ++lists.open;
  return copy;
}

Lmid_t list_of(void* copy)
{
  Lmid_t name = LM_ID_BASE;
  dlinfo(copy, RTLD_DI_LMID, &name);
  return name;
}

}  // namespace

void* open_copy(const char* file)
{
  Lists& lists = Lists::all();
  const Holder guard(lists.mutex);
  // A sanitizer looks for what is alive in the objects of the base list.
  if (lists.open < copies_in_base || allocations_are_watched()) return open_in_base(lists, file);
  const std::size_t list = lists.next++ % further;
  const bool is_new = lists.sizes[list] == 0;
  void* const copy = dlmopen(is_new ? LM_ID_NEWLM : lists.names[list], file, opening_flags);
  // The program may have taken the namespaces itself.
  if (copy == nullptr) return open_in_base(lists, file);
  if (is_new) lists.names[list] = list_of(copy);
  ++lists.sizes[list];
  return copy;
}

void close_copy(void* copy) noexcept
{
  Lists& lists = Lists::all();
  const Holder guard(lists.mutex);
  const Lmid_t name = list_of(copy);
  dlclose(copy);
  if (name == LM_ID_BASE) --lists.open;
  for (std::size_t list = 0; list < further; ++list)
    if (lists.sizes[list] > 0 && lists.names[list] == name) --lists.sizes[list];
}

}  // namespace ranklet::loader
