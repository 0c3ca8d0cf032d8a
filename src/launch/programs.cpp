#include "launch/programs.hpp"

#include <algorithm>
#include <string_view>

#include "base/config.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// Splits RANKLET_SHARE_LIBRARIES.
std::vector<std::string> split_names(const std::string& text)
{
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::vector<std::string> tools_in(const std::vector<std::string>& environment)
{
  constexpr std::string_view variable = "LD_PRELOAD=";
  for (const std::string& entry : environment)
    if (entry.starts_with(variable)) return loader::mpi_tools(entry.substr(variable.size()));
  return {};
}

bool is_unchanged(const struct stat& then, const struct stat& now)
{
  return then.st_dev == now.st_dev && then.st_ino == now.st_ino && then.st_size == now.st_size &&
         then.st_mtim.tv_sec == now.st_mtim.tv_sec && then.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

}  // namespace

loader::Program& Programs::at(const std::string& path, const std::vector<std::string>& environment)
{
  loader::LoaderOptions options;
  options.shared_libraries = split_names(config().share_libraries);
  options.preload = tools_in(environment);
  const Holder guard(mutex_);
  struct stat now {};
  const bool is_there = ::stat(path.c_str(), &now) == 0;
  for (const Entry& entry : entries_)
    if (entry.path == path && entry.tools == options.preload && is_there && is_unchanged(entry.file, now))
      return *entry.program;
  return *entries_
              .emplace_back(
                  Entry{path, options.preload, now, std::make_unique<loader::Program>(path, options)})
              .program;
}

loader::StorageNeed Programs::need() const
{
  const Holder guard(mutex_);
  loader::StorageNeed need;
  for (const Entry& entry : entries_) {
    const loader::StorageNeed own = entry.program->thread_storage();
    need.bytes = std::max(need.bytes, own.bytes);
    need.alignment = std::max(need.alignment, own.alignment);
  }
  return need;
}

void check_fits(const loader::Program& program)
{
  const loader::StorageNeed need = program.thread_storage();
  const loader::StorageNeed have = loader::thread_storage_capacity();
  if (need.bytes > have.bytes || need.alignment > have.alignment)
    fail(ErrorClass::no_mem,
         "its thread-local variables need %zu bytes, but the job has begun with room for %zu: start it "
         "by mpiexec itself",
         need.bytes, have.bytes);
}

}  // namespace ranklet::launch
