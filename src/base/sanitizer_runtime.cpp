#include "base/sanitizer_runtime.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "base/config.hpp"
#include "base/sanitized.hpp"

namespace ranklet {
namespace {

template <typename Function>
Function* function_of_runtime(const char* name) noexcept
{
  return sanitized ? nullptr : reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

bool allocations_are_watched() noexcept
{
  static const bool watched =
      sanitized || function_of_runtime<void()>("__lsan_disable") != nullptr || threads_are_watched();
  return watched;
}

std::uintptr_t first_poisoned(std::uintptr_t begin, std::uintptr_t end) noexcept
{
  static auto* const find = function_of_runtime<void*(void*, std::size_t)>("__asan_region_is_poisoned");
  return find == nullptr
             ? 0
             : reinterpret_cast<std::uintptr_t>(find(reinterpret_cast<void*>(begin), end - begin));
}

bool runs_under_valgrind() noexcept
{
  const char* const preload = environment_variable("LD_PRELOAD");
  return preload != nullptr && std::strstr(preload, "vgpreload_") != nullptr;
}

bool threads_are_watched() noexcept
{
  static const bool watched = function_of_runtime<void(void*)>("__tsan_acquire") != nullptr;
  return watched;
}

}  // namespace ranklet
