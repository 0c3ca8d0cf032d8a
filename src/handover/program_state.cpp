#include "handover/program_state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handover/bytes.hpp"

namespace ranklet::handover {
namespace {

constexpr std::size_t mask_words = 128;  // 8192 CPUs; 64 words of memory nodes are more than any kernel has

std::vector<int> inherited_descriptors()
{
  std::vector<int> numbers;
  DIR* const directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return {0, 1, 2};
  while (const dirent* const entry = ::readdir(directory)) {
    const int number = std::atoi(entry->d_name);
    if (entry->d_name[0] == '.' || number == ::dirfd(directory)) continue;
    const int flags = ::fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) numbers.push_back(number);
  }
  ::closedir(directory);
  std::ranges::sort(numbers);
  return numbers;
}

void write_words(ByteWriter& writer, const std::vector<unsigned long>& words)
{
  writer.text({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(long)});
}

std::vector<unsigned long> read_words(ByteReader& reader)
{
  const std::string bytes = reader.text();
  std::vector<unsigned long> words(bytes.size() / sizeof(long));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(long));
  return words;
}

}  // namespace

std::vector<unsigned long> allowed_cpus()
{
  std::vector<unsigned long> cpus(mask_words);
  const long bytes = ::syscall(SYS_sched_getaffinity, 0, cpus.size() * sizeof(long), cpus.data());
  cpus.resize(bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(long) : 0);
  return cpus;
}

std::string own_path()
{
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return {path, size > 0 ? static_cast<std::size_t>(size) : 0};
}

ProgramState ProgramState::of_this_process(int argument_count, char** arguments, char** environment)
{
  ProgramState state;
  state.numbers = inherited_descriptors();
  state.path = own_path();
  for (int i = 0; i < argument_count; ++i) state.arguments.emplace_back(arguments[i]);
  for (; *environment != nullptr; ++environment) state.environment.emplace_back(*environment);
  state.mask = ::umask(077);
  ::umask(state.mask);
  state.nice = ::getpriority(PRIO_PROCESS, 0);
  state.cpus = allowed_cpus();
  state.memory_nodes.resize(mask_words);
  if (::syscall(SYS_get_mempolicy, &state.memory_mode, state.memory_nodes.data(), mask_words * 64, nullptr,
                0) != 0)
    state.memory_mode = 0;
  for (int i = 0; i < RLIM_NLIMITS; ++i)
    ::getrlimit(static_cast<__rlimit_resource>(i), &state.limits[static_cast<std::size_t>(i)]);
  return state;
}

std::string ProgramState::bytes() const
{
  ByteWriter writer;
  writer.text(path);
  writer.texts(arguments);
  writer.texts(environment);
  writer.number(mask);
  writer.number(nice);
  write_words(writer, cpus);
  writer.number(memory_mode);
  write_words(writer, memory_nodes);
  for (const rlimit& limit : limits) {
    writer.number(static_cast<std::int64_t>(limit.rlim_cur));
    writer.number(static_cast<std::int64_t>(limit.rlim_max));
  }
  writer.number(static_cast<std::int64_t>(numbers.size()));
  for (const int number : numbers) writer.number(number);
  return writer.bytes();
}

ProgramState ProgramState::from(const std::string& bytes)
{
  ByteReader reader(bytes);
  ProgramState state;
  state.path = reader.text();
  state.arguments = reader.texts();
  state.environment = reader.texts();
  state.mask = static_cast<mode_t>(reader.number());
  state.nice = static_cast<int>(reader.number());
  state.cpus = read_words(reader);
  state.memory_mode = static_cast<int>(reader.number());
  state.memory_nodes = read_words(reader);
  for (rlimit& limit : state.limits) {
    limit.rlim_cur = static_cast<rlim_t>(reader.number());
    limit.rlim_max = static_cast<rlim_t>(reader.number());
  }
  for (std::int64_t left = reader.number(); left > 0; --left)
    state.numbers.push_back(static_cast<int>(reader.number()));
  return state;
}

void ProgramState::adopt_on_this_thread(const std::vector<unsigned long>& own_cpus) const
{
  if (cpus != own_cpus && !cpus.empty())
    ::syscall(SYS_sched_setaffinity, 0, cpus.size() * sizeof(long), cpus.data());
  if (memory_mode != 0)
    ::syscall(SYS_set_mempolicy, memory_mode, memory_nodes.data(), memory_nodes.size() * 64);
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  if (::getpriority(PRIO_PROCESS, thread) != nice) ::setpriority(PRIO_PROCESS, thread, nice);
}

void ProgramState::raise_limits() const
{
  for (const __rlimit_resource resource : {RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_MEMLOCK}) {
    const rlimit& wanted = limits[static_cast<std::size_t>(resource)];
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur >= wanted.rlim_cur) continue;
    limit.rlim_cur = std::min(wanted.rlim_cur, limit.rlim_max);
    ::setrlimit(resource, &limit);
  }
}

}  // namespace ranklet::handover
