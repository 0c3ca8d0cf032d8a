#include "loader/image.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/byte_at.hpp"
#include "loader/exit.hpp"
#include "loader/link_lists.hpp"
#include "loader/thread_blocks.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {
namespace {

using Terminator = void (*)();

template <class Function>
Function function_at(std::byte* address)
{
  return reinterpret_cast<Function>(address);
}

// The functions in an array of the image; 0 and -1 mark entries that old linkers left empty.
template <class Function>
std::vector<Function> functions(const LoadedModule& loaded, Elf64_Sxword array_tag, Elf64_Sxword size_tag)
{
  const ElfFile& file = loaded.module->file();
  const auto array = file.dynamic_value(array_tag);
  const auto size = file.dynamic_value(size_tag);
  std::vector<Function> result;
  if (!array || !size) return result;
  for (std::size_t i = 0; i < *size / sizeof(Function); ++i) {
    Elf64_Addr address;
    std::memcpy(&address, loaded.base + *array + i * sizeof address, sizeof address);
    if (address != 0 && address != ~Elf64_Addr{0}) result.push_back(reinterpret_cast<Function>(address));
  }
  return result;
}

void give_storage(const ImageState& image, const ThreadRecord& thread, const Module& module)
{
  const Elf64_Phdr* segment = module.tls_segment();
  if (!segment || segment->p_memsz == 0) return;
  const std::byte* initial = image.bases[module.slot()] + segment->p_vaddr;
  if (module.dynamic_storage) {
    thread.blocks->add(module, initial);
    return;
  }
  std::byte* block = thread.pointer - module.tls_offset;
  std::memcpy(block, initial, segment->p_filesz);
  std::memset(block + segment->p_filesz, 0, segment->p_memsz - segment->p_filesz);
}

}  // namespace

LoadedModule* ImageState::find(const Module& module)
{
  for (LoadedModule& entry : loaded)
    if (entry.module == &module && !entry.unloaded) return &entry;
  return nullptr;
}

LoadedModule* ImageState::find(const void* address)
{
  for (LoadedModule& entry : loaded)
    if (entry.contains(address)) return &entry;
  return nullptr;
}

void ImageState::relocate(const LoadedModule& entry) const
{
  std::byte* base = entry.base;
  const auto put = [base](Elf64_Addr where, Elf64_Addr value) {
    std::memcpy(base + where, &value, sizeof value);
  };
  const auto own = reinterpret_cast<Elf64_Addr>(base);
  for (const RelativeRelocation& item : entry.module->relative) put(item.where, own + item.addend);
  for (const BoundRelocation& item : entry.module->bound)
    put(item.where, reinterpret_cast<Elf64_Addr>(bases[item.slot]) + item.value);
}

void ImageState::resolve_indirect(const LoadedModule& entry) const
{
  for (const BoundRelocation& item : entry.module->indirect) {
    void* target = function_at<void* (*)()>(byte_at(bases[item.slot], item.value))();
    std::memcpy(entry.base + item.where, &target, sizeof target);
  }
}

void ImageState::load(const ModuleGroup& group)
{
  bases.resize(set.slot_count(), nullptr);
  bases[variable_slot] = reinterpret_cast<std::byte*>(&slots);
  const std::size_t first = loaded.size();
  try {
    for (Module* module : group.modules) {
      const Module::Mapped copy = module->map_copy();
      loaded.push_back({module, copy.base, copy.map});
      bases[module->slot()] = copy.base;
    }
  } catch (...) {
    take_back(first);
    throw;
  }
  for (std::size_t i = first; i < loaded.size(); ++i) relocate(loaded[i]);
  // Resolvers may use relocated data of any module; copies take relocated data of libraries.
  for (std::size_t i = first; i < loaded.size(); ++i) resolve_indirect(loaded[i]);
  for (std::size_t i = first; i < loaded.size(); ++i)
    for (const CopyRelocation& item : loaded[i].module->copies)
      std::memcpy(loaded[i].base + item.where, byte_at(bases[item.slot], item.value), item.size);
  for (std::size_t i = first; i < loaded.size(); ++i) loaded[i].module->protect(loaded[i].base);
  if (first < loaded.size()) loaded[first].module->wake_debugger();
}

void ImageState::take_back(std::size_t first)
{
  while (loaded.size() > first) {
    close_copy(loaded.back().map);
    bases[loaded.back().module->slot()] = nullptr;
    loaded.pop_back();
  }
}

void ImageState::give_back() noexcept
{
  for (const LoadedModule& entry : loaded) entry.module->give_back({entry.base, entry.map});
  loaded.clear();
}

void ImageState::unload(const ModuleGroup& group)
{
  take_back(loaded.size() - group.modules.size());
}

void ImageState::preinitialise(int argc, char** argv, char** environment)
{
  for (const Initialiser function :
       functions<Initialiser>(*find(set.program()), DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ))
    function(argc, argv, environment);
}

void ImageState::initialise(LoadedModule& entry, int argc, char** argv, char** environment)
{
  {
    const Holder lock(mutex);
    if (entry.initialised) return;
    entry.initialised = true;
    initialised.push_back(&entry);
  }
  // A constructor of zero address means absent.
  if (const auto function = entry.module->file().dynamic_value(DT_INIT); function && *function)
    function_at<Initialiser>(entry.base + *function)(argc, argv, environment);
  for (const Initialiser function : functions<Initialiser>(entry, DT_INIT_ARRAY, DT_INIT_ARRAYSZ))
    function(argc, argv, environment);
}

void ImageState::initialise(const std::vector<Module*>& order, int argc, char** argv, char** environment)
{
  const auto entry_of = [this](const Module& module) {
    const Holder lock(mutex);
    return find(module);
  };
  for (const Module* module : order)
    if (LoadedModule* entry = entry_of(*module); entry && module != &set.program())
      initialise(*entry, argc, argv, environment);
}

void ImageState::terminate(const LoadedModule& entry)
{
  const auto array = functions<Terminator>(entry, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
  for (auto function = array.rbegin(); function != array.rend(); ++function) (*function)();
  if (const auto function = entry.module->file().dynamic_value(DT_FINI); function && *function)
    function_at<Terminator>(entry.base + *function)();
}

void* ImageState::address(const Definition& definition, const char* name) const
{
  if (definition.symbol && ELF64_ST_TYPE(definition.symbol->st_info) == STT_TLS)
    return definition.module && definition.module->dynamic_storage
               ? thread_block(*definition.module) + definition.value
               : thread_pointer() + thread_offset(definition, name);
  std::byte* place = byte_at(bases[definition.slot], definition.value);
  return definition.indirect ? function_at<void* (*)()>(place)() : place;
}

void enter_process(ProcessState& process, ThreadRecord& record)
{
  const ImageState& image = *process.image;
  std::byte* pointer = thread_pointer();
  record.pointer = pointer;
  record.thread = pthread_self();
  record.id = gettid();
  record.blocks = &ThreadBlocks::of_this_thread();
  record.process = &process;
  {
    const Holder lock(process.threads_mutex);
    for (const LoadedModule& entry : image.loaded)
      if (!entry.unloaded) give_storage(image, record, *entry.module);
    process.threads.push_back(&record);
  }
  host_thread().process = &process;
  host_thread().record = &record;
}

void leave_process()
{
  ThreadRecord* record = host_thread().record;
  ProcessState* process = host_thread().process;
  // Not the blocks: destructors of pthread keys come later.
  host_thread().process = nullptr;
  host_thread().record = nullptr;
  const Holder lock(process->threads_mutex);
  std::erase(process->threads, record);
  process->thread_ended.notify_all();
}

void add_thread_storage(ProcessState& process, const std::vector<Module*>& modules)
{
  for (const ThreadRecord* record : process.threads)
    for (const Module* module : modules) give_storage(*process.image, *record, *module);
}

}  // namespace ranklet::loader
