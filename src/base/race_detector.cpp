#include "base/race_detector.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace ranklet::races {
namespace {

template <typename Function>
Function* find(const char* name) noexcept
{
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

constexpr unsigned without_order = 1;  // a flag of __tsan_switch_to_fiber
constexpr int seq_cst = 5;             // as the runtime counts the memory orders

struct Runtime {
  void* (*create_fiber)(unsigned) = find<void*(unsigned)>("__tsan_create_fiber");
  void (*destroy_fiber)(void*) = find<void(void*)>("__tsan_destroy_fiber");
  void (*switch_to_fiber)(void*, unsigned) = find<void(void*, unsigned)>("__tsan_switch_to_fiber");
  void (*set_fiber_name)(void*, const char*) = find<void(void*, const char*)>("__tsan_set_fiber_name");
  void* (*current_fiber)() = find<void*()>("__tsan_get_current_fiber");
  void (*acquire)(void*) = find<void(void*)>("__tsan_acquire");
  void (*release)(void*) = find<void(void*)>("__tsan_release");
  void (*ignore_begin)() = find<void()>("__tsan_ignore_thread_begin");
  void (*ignore_end)() = find<void()>("__tsan_ignore_thread_end");
  void (*ignore_sync_begin)(const char*, int) = find<void(const char*, int)>("AnnotateIgnoreSyncBegin");
  void (*ignore_sync_end)(const char*, int) = find<void(const char*, int)>("AnnotateIgnoreSyncEnd");
  void (*read_range)(void*, std::size_t,
                     void*) = find<void(void*, std::size_t, void*)>("__tsan_read_range_pc");
  void (*write_range)(void*, std::size_t,
                      void*) = find<void(void*, std::size_t, void*)>("__tsan_write_range_pc");
  void (*enter)(void*) = find<void(void*)>("__tsan_func_entry");
  void (*leave)() = find<void()>("__tsan_func_exit");
  std::uint8_t (*load8)(const void*, int) = find<std::uint8_t(const void*, int)>("__tsan_atomic8_load");
  std::uint16_t (*load16)(const void*, int) = find<std::uint16_t(const void*, int)>("__tsan_atomic16_load");
  std::uint32_t (*load32)(const void*, int) = find<std::uint32_t(const void*, int)>("__tsan_atomic32_load");
  std::uint64_t (*load64)(const void*, int) = find<std::uint64_t(const void*, int)>("__tsan_atomic64_load");
  std::uint8_t (*add8)(void*, std::uint8_t,
                       int) = find<std::uint8_t(void*, std::uint8_t, int)>("__tsan_atomic8_fetch_add");
  std::uint16_t (*add16)(void*, std::uint16_t,
                         int) = find<std::uint16_t(void*, std::uint16_t, int)>("__tsan_atomic16_fetch_add");
  std::uint32_t (*add32)(void*, std::uint32_t,
                         int) = find<std::uint32_t(void*, std::uint32_t, int)>("__tsan_atomic32_fetch_add");
  std::uint64_t (*add64)(void*, std::uint64_t,
                         int) = find<std::uint64_t(void*, std::uint64_t, int)>("__tsan_atomic64_fetch_add");
  int (*report_data)(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**, std::size_t) =
      find<int(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**, std::size_t)>(
          "__tsan_get_report_data");
  int (*report_mop)(void*, std::size_t, int*, void**, int*, int*, int*, void**, std::size_t) =
      find<int(void*, std::size_t, int*, void**, int*, int*, int*, void**, std::size_t)>(
          "__tsan_get_report_mop");
  int (*report_thread)(void*, std::size_t, int*, std::uint64_t*, int*, const char**, int*, void**,
                       std::size_t) = find<int(void*, std::size_t, int*, std::uint64_t*, int*, const char**,
                                               int*, void**, std::size_t)>("__tsan_get_report_thread");
};

const Runtime& runtime() noexcept
{
  static const Runtime functions;
  return functions;
}

void* pointer(std::uintptr_t address) noexcept
{
  return reinterpret_cast<void*>(address);
}

}  // namespace

Fiber make_fiber(const char* name) noexcept
{
  const Fiber fiber = runtime().create_fiber(0);
  runtime().set_fiber_name(fiber, name);
  return fiber;
}

void destroy_fiber(Fiber fiber) noexcept
{
  runtime().destroy_fiber(fiber);
}

Fiber current_fiber() noexcept
{
  return runtime().current_fiber();
}

void switch_to(Fiber fiber) noexcept
{
  runtime().switch_to_fiber(fiber, without_order);
}

void order_from(const void* token) noexcept
{
  runtime().release(const_cast<void*>(token));
}

void order_to(const void* token) noexcept
{
  runtime().acquire(const_cast<void*>(token));
}

void begin_unseen() noexcept
{
  runtime().ignore_begin();
  runtime().ignore_sync_begin(__FILE__, __LINE__);
}

void end_unseen() noexcept
{
  runtime().ignore_sync_end(__FILE__, __LINE__);
  runtime().ignore_end();
}

void access(std::uintptr_t begin, std::size_t bytes, bool written, Label label) noexcept
{
  (written ? runtime().write_range : runtime().read_range)(pointer(begin), bytes, pointer(label));
}

void atomic_access(std::uintptr_t address, std::size_t bytes, bool written, Label label) noexcept
{
  const Runtime& tell = runtime();
  void* const place = pointer(address);
  // The runtime takes its caller for the place of an atomic access, which is here.
  tell.enter(pointer(label));
  switch (bytes) {
    case 1:
      static_cast<void>(written ? tell.add8(place, 0, seq_cst) : tell.load8(place, seq_cst));
      break;
    case 2:
      static_cast<void>(written ? tell.add16(place, 0, seq_cst) : tell.load16(place, seq_cst));
      break;
    case 4:
      static_cast<void>(written ? tell.add32(place, 0, seq_cst) : tell.load32(place, seq_cst));
      break;
    default:
      static_cast<void>(written ? tell.add64(place, 0, seq_cst) : tell.load64(place, seq_cst));
  }
  tell.leave();
}

bool read_report(const void* report, Race& race) noexcept
{
  void* const handle = const_cast<void*>(report);
  const char* kind = nullptr;
  int count, stacks, accesses = 0, places, mutexes, threads = 0, made;
  void* trace[1];
  runtime().report_data(handle, &kind, &count, &stacks, &accesses, &places, &mutexes, &threads, &made, trace,
                        0);
  if (accesses != 2) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    Race::Side& side = race.sides[i];
    int thread = -1, written = 0, atomic = 0;
    void* address = nullptr;
    std::array<void*, 12> stack{};
    runtime().report_mop(handle, i, &thread, &address, &side.bytes, &written, &atomic, stack.data(),
                         stack.size());
    side.address = reinterpret_cast<std::uintptr_t>(address);
    side.written = written != 0;
    side.atomic = atomic != 0;
    std::ranges::transform(stack, side.stack.begin(),
                           [](void* place) { return reinterpret_cast<std::uintptr_t>(place); });
    for (int j = 0; j < threads; ++j) {
      int id = -1, running, parent;
      std::uint64_t system_id;
      const char* name = nullptr;
      runtime().report_thread(handle, static_cast<std::size_t>(j), &id, &system_id, &running, &name, &parent,
                              trace, 0);
      if (id != thread || name == nullptr) continue;
      for (std::size_t k = 0; k + 1 < side.thread.size() && name[k] != 0; ++k) side.thread[k] = name[k];
    }
  }
  return true;
}

}  // namespace ranklet::races
