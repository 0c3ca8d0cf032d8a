#include "launch/host_start.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitized.hpp"
#include "handover/packet.hpp"
#include "launch/install_paths.hpp"
#include "loader/sanitizers.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// Kernels that spread addresses over more bits than ThreadSanitizer's shadow memory knows are newer than it.
void fix_addresses()
{
  ::personality(static_cast<unsigned long>(::personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
}

// Whether a program can be started with it at all: the shared one of clang 14 crashes in any.
bool works(const std::string& runtime)
{
  ProcessStart start;
  start.path = "/proc/self/exe";
  start.arguments = {"mpiexec", "--version"};
  start.environment = {"LD_PRELOAD=" + runtime};
  start.standard[1] = start.standard[2] = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  start.in_child = fix_addresses;
  int status = 0;
  const bool ended = ::waitpid(start_process(start), &status, 0) > 0;
  ::close(start.standard[1]);
  return ended && exit_code_of(status) == 0;
}

loader::SanitizerRuntimes runtimes_of(const JobDescription& job)
{
  loader::SanitizerRuntimes all;
  // A host that was built with one has it already.
  if (sanitized) return all;
  std::vector<std::string> paths = {job.first_program};
  if (job.control < 0) {
    paths.clear();
    for (const Program& program : job.programs) paths.push_back(program.path);
  }
  for (const std::string& path : paths) {
    const loader::SanitizerRuntimes own = loader::sanitizer_runtimes(path);
    all.threads |= own.threads;
    for (const std::string& library : own.libraries)
      if (std::ranges::find(all.libraries, library) == all.libraries.end()) all.libraries.push_back(library);
  }
  return all;
}

// Takes the variable out; empty if it is not set.
std::string take(std::vector<std::string>& environment, const std::string& name)
{
  const auto found = std::ranges::find_if(
      environment, [&](const std::string& text) { return text.starts_with(name + "="); });
  if (found == environment.end()) return {};
  const std::string value = found->substr(name.size() + 1);
  environment.erase(found);
  return value;
}

// The host's environment, which the ranks do not see. They allocate with its libc, which advises the kernel
// about blocks of at least a huge page.
std::vector<std::string> host_environment(const Config& config, const std::vector<std::string>& preload)
{
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  // Of an mpiexec around this one: not for the host, which uses the MPI library as well.
  take(result, handover::address_variable);
  // It needs no host of its own.
  take(result, "RANKLET_SINGLETON");
  result.push_back("RANKLET_SINGLETON=plain");
  const std::string advise = "glibc.malloc.hugetlb";
  std::string tunables = take(result, "GLIBC_TUNABLES");
  if (config.huge_pages == Choice::yes && tunables.find(advise) == tunables.npos)
    tunables += (tunables.empty() ? "" : ":") + advise + "=1";
  if (!tunables.empty()) result.push_back("GLIBC_TUNABLES=" + tunables);
  if (preload.empty()) return result;
  std::string libraries;
  for (const std::string& library : preload) libraries += (libraries.empty() ? "" : ":") + library;
  if (const std::string users = take(result, "LD_PRELOAD"); !users.empty()) libraries += ":" + users;
  result.push_back("LD_PRELOAD=" + libraries);
  return result;
}

}  // namespace

ProcessStart host_start(const JobDescription& job, const Config& config, int description)
{
  loader::SanitizerRuntimes sanitizers = runtimes_of(job);
  // A sanitizer has its own heap, as what the user loads first may have.
  const std::string heap = install_paths().heap;
  if (config.checks() && !sanitized && sanitizers.libraries.empty() &&
      environment_variable("LD_PRELOAD") == nullptr && ::access(heap.c_str(), R_OK) == 0)
    sanitizers.libraries.push_back(heap);
  ProcessStart start;
  start.path = install_paths().host;
  start.arguments = {"ranklet-host", std::to_string(description)};
  start.environment = host_environment(config, sanitizers.libraries);
  if (sanitizers.threads) {
    if (!works(sanitizers.libraries.front()))
      fail(ErrorClass::arg, "%s crashes in any program: build with gcc or a newer clang",
           sanitizers.libraries.front().c_str());
    start.in_child = fix_addresses;
  }
  return start;
}

}  // namespace ranklet::launch
