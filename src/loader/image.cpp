#include "loader/image.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "loader/exit.hpp"
#include "loader/link_lists.hpp"
#include "loader/thread_blocks.hpp"
#include "process/thread_record.hpp"
#include "terms/error.hpp"

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

// The place of the variable that the rank's libraries and program see under this name.
template <class T>
T* variable_place(ImageState& image, std::initializer_list<const char*> names)
{
  for (const char* name : names) {
    const Module& program = image.set.program();
    const Elf64_Sym* own = program.symbols().find(SymbolName(name));
    if (own && ELF64_ST_TYPE(own->st_info) == STT_OBJECT && own->st_size >= sizeof(T))
      return reinterpret_cast<T*>(image.bases[program.slot()] + own->st_value);
  }
  return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&image.slots) + *variable_offset(*names.begin()));
}

LibcVariables find_variables(ImageState& image)
{
  LibcVariables places{};
  places.in = variable_place<std::FILE*>(image, {"stdin"});
  places.out = variable_place<std::FILE*>(image, {"stdout"});
  places.err = variable_place<std::FILE*>(image, {"stderr"});
  places.environ_ = variable_place<char**>(image, {"environ", "__environ", "_environ"});
  places.optarg_ = variable_place<char*>(image, {"optarg"});
  places.optind_ = variable_place<int>(image, {"optind"});
  places.opterr_ = variable_place<int>(image, {"opterr"});
  places.optopt_ = variable_place<int>(image, {"optopt"});
  places.invocation_name = variable_place<char*>(image, {"program_invocation_name", "__progname_full"});
  places.invocation_short_name =
      variable_place<char*>(image, {"program_invocation_short_name", "__progname"});
  places.zone_names = variable_place<char*>(image, {"tzname", "__tzname"});
  places.zone_offset = variable_place<long>(image, {"timezone", "__timezone"});
  places.zone_has_summer = variable_place<int>(image, {"daylight", "__daylight"});
  return places;
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
    void* target = function_at<void* (*)()>(bases[item.slot] + item.value)();
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
      std::memcpy(loaded[i].base + item.where, bases[item.slot] + item.value, item.size);
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
  std::byte* place = bases[definition.slot] + definition.value;
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

Program::Program(const std::string& path, const LoaderOptions& options)
{
  check_loadable(path);
  modules_ = std::make_unique<ModuleSet>(path, options);
  char* real = realpath(path.c_str(), nullptr);
  absolute_path_ = real ? real : path;
  std::free(real);
}

Program::~Program() = default;

const std::string& Program::path() const noexcept
{
  return modules_->path();
}

StorageNeed Program::thread_storage() const
{
  return modules_->storage();
}

Image::Image(Program& program, ProcessState& process) : process_(process)
{
  const StorageNeed need = program.thread_storage();
  const StorageNeed capacity = thread_storage_capacity();
  if (need.bytes > capacity.bytes || need.alignment > capacity.alignment)
    fail(ErrorClass::intern, "%s needs %zu bytes of thread-local storage and the host has %zu",
         program.path().c_str(), need.bytes, capacity.bytes);

  process.program = &program;
  process.image = std::make_unique<ImageState>(program.modules());
  ImageState& image = *process.image;
  image.slots = {stdin,
                 stdout,
                 stderr,
                 environ,
                 nullptr,
                 1,
                 1,
                 '?',
                 program_invocation_name,
                 program_invocation_short_name,
                 {tzname[0], tzname[1]},
                 0,
                 0};
  image.load(program.modules().program_group());
  process.variables = find_variables(image);
  process.exit = std::make_unique<ExitState>();
}

Image::~Image() = default;

bool Image::has_ended_for_good() const
{
  const Holder lock(process_.threads_mutex);
  return process_.threads.empty() && process_.starting_threads == 0;
}

void Image::delete_keys() noexcept
{
  const Holder lock(process_.threads_mutex);
  for (const pthread_key_t key : process_.keys) pthread_key_delete(key);
  process_.keys.clear();
}

void Image::give_back() noexcept
{
  process_.image->give_back();
}

}  // namespace ranklet::loader
