#include "loader/storage_layout.hpp"

#include <algorithm>

#include "terms/error.hpp"

namespace ranklet::loader {

StorageNeed StorageLayout::need() const
{
  const Holder lock(mutex_);
  return need_;
}

// glibc's layout for the objects of a process (variant II: blocks below the thread pointer), so that the
// program's own block, the first, lies where its code expects it.
void StorageLayout::place(Module& module, const StorageNeed* most)
{
  const Elf64_Phdr* segment = module.tls_segment();
  if (!segment || segment->p_memsz == 0) return;
  const Holder lock(mutex_);
  std::size_t& known = offsets_[module.file().identity()];
  if (known != 0) {
    module.tls_offset = known;
    return;
  }
  const std::size_t alignment = std::max<std::size_t>(segment->p_align, 1);
  const std::size_t first = (0 - segment->p_vaddr) & (alignment - 1);
  const std::size_t offset =
      (need_.bytes + segment->p_memsz - first + alignment - 1) / alignment * alignment + first;
  const StorageNeed need{offset, std::max(need_.alignment, alignment)};
  // Before it counts, as ranks that begin meanwhile look at what is needed.
  if (most && (need.bytes > most->bytes || need.alignment > most->alignment))
    fail(ErrorClass::no_mem,
         "%s: cannot allocate memory in static TLS block: %zu of %zu bytes are needed, aligned to %zu: "
         "compile it with -fPIC and without -ftls-model=initial-exec",
         module.file().path().c_str(), need.bytes, most->bytes, need.alignment);
  module.tls_offset = known = offset;
  need_ = need;
}

void StorageLayout::go_back_to(StorageNeed need)
{
  const Holder lock(mutex_);
  std::erase_if(offsets_, [&](const auto& entry) { return entry.second > need.bytes; });
  need_ = need;
}

}  // namespace ranklet::loader
