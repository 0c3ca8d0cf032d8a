// Image::run: from a prepared stack through the program's own start code to main, and back.
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "loader/exit.hpp"
#include "loader/image.hpp"
#include "loader/loader.hpp"
#include "process/override.hpp"
#include "process/thread_record.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

using Main = int (*)(int, char**, char**);

void register_handler(ExitState& state, void (*function)(void*), void* argument)
{
  const Holder lock(state.mutex);
  state.handlers.push_back({function, nullptr, argument, nullptr});
}

// The program's start code calls this with the address of main, which a stripped program tells nowhere else.
// `init` is set in programs linked against glibc before 2.34: their own function that runs their
// initialisers.
[[noreturn]] int rank_start_main(Main main, int argc, char** argv, Initialiser init, void (*fini)(),
                                 void (*)(), void*)
{
  ProcessState& process = *current_process();
  ImageState& image = *process.image;
  char** environment = argv + argc + 1;
  // Without the image's lock: a constructor may start a thread that opens a library, and wait for it.
  LoadedModule& program = image.loaded.front();
  image.preinitialise(argc, argv, environment);
  image.initialise(image.set.program_group().init_order, argc, argv, environment);
  register_handler(
      *process.exit, [](void* state) { run_terminators(*static_cast<ImageState*>(state)); }, &image);
  if (init) {
    if (fini)
      register_handler(
          *process.exit, [](void* function) { reinterpret_cast<void (*)()>(function)(); },
          reinterpret_cast<void*>(fini));
    program.initialised = true;
    init(argc, argv, environment);
  } else {
    image.initialise(program, argc, argv, environment);
  }
  exit_process(process, main(argc, argv, environment));
}

// LLVM's OpenMP runtime refuses to be loaded twice into a process, by process id. Each rank's copy is alone
// in its own.
bool uses_llvm_openmp(const ModuleGroup& group)
{
  return std::any_of(group.modules.begin(), group.modules.end(), [](const Module* module) {
    return module->soname().starts_with("libomp.") || module->soname().starts_with("libiomp5.");
  });
}

// What the kernel leaves on a new process's stack (x86-64 psABI, process initialization): argc, argv,
// environment, auxiliary vector. The strings are the image's, as programs keep pointers to them.
std::vector<void*> initial_stack(const std::vector<std::string>& arguments, char* const* environment,
                                 const ModuleGroup& group, std::deque<std::string>& strings)
{
  const auto keep = [&strings](const char* text) -> void* { return strings.emplace_back(text).data(); };
  std::vector<void*> words;
  words.push_back(reinterpret_cast<void*>(arguments.size()));
  for (const std::string& argument : arguments) words.push_back(keep(argument.c_str()));
  words.push_back(nullptr);
  for (; *environment; ++environment) words.push_back(keep(*environment));
  if (uses_llvm_openmp(group)) words.push_back(keep("KMP_DUPLICATE_LIB_OK=TRUE"));
  words.push_back(nullptr);
  for (const unsigned long type : {AT_PAGESZ, AT_CLKTCK, AT_HWCAP, AT_HWCAP2, AT_RANDOM, AT_SYSINFO_EHDR}) {
    words.push_back(reinterpret_cast<void*>(type));
    words.push_back(reinterpret_cast<void*>(getauxval(type)));
  }
  words.insert(words.end(), 2, nullptr);
  if (words.size() % 2) words.push_back(nullptr);
  return words;
}

// Jumps to the program's entry with the words on top of the stack; all below is free. %rdx: no function to
// register.
[[noreturn, gnu::noinline]] void enter_program(const std::vector<void*>& words, std::byte* entry)
{
  auto* stack = static_cast<void**>(__builtin_alloca_with_align(words.size() * sizeof(void*), 128));
  std::memcpy(stack, words.data(), words.size() * sizeof(void*));
  asm volatile(
      "mov %0, %%rsp\n\t"
      "xor %%edx, %%edx\n\t"
      "xor %%ebp, %%ebp\n\t"
      "jmp *%1"
      :
      : "r"(stack), "r"(entry)
      : "memory", "rdx");
  __builtin_unreachable();
}

}  // namespace

int Image::run(const std::vector<std::string>& arguments, char* const* environment)
{
  ProcessState& process = process_;
  ImageState& image = *process.image;
  ExitState& state = *process.exit;
  ThreadRecord record;
  record.is_main = true;
  enter_process(process, record);
  process.arguments = arguments;
  state.pid = getpid();
  state.main = pthread_self();

  image.initial_stack =
      initial_stack(arguments, environment ? environment : environ, image.set.program_group(), image.strings);
  char** argv = reinterpret_cast<char**>(image.initial_stack.data()) + 1;
  *process.variables.environ_ = argv + arguments.size() + 1;
  if (!arguments.empty()) {
    const char* slash = std::strrchr(argv[0], '/');
    *process.variables.invocation_name = argv[0];
    *process.variables.invocation_short_name = slash ? const_cast<char*>(slash) + 1 : argv[0];
  }
  process.host.image_ready(process);
  std::byte* entry = image.bases[image.set.program().slot()] + image.set.program().file().header().e_entry;
  if (setjmp(state.frame) == 0) {
    state.may_return = true;
    enter_program(image.initial_stack, entry);
  }
  state.may_return = false;
  leave_process();
  return state.code;
}

std::span<const Override> start_overrides()
{
  static const Override table[] = {
      {"__libc_start_main", reinterpret_cast<void*>(&rank_start_main)},
  };
  return table;
}

}  // namespace ranklet::loader
