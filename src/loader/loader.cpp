#include "loader/loader.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <initializer_list>

#include <unistd.h>

#include "loader/exit.hpp"
#include "loader/image.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

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
