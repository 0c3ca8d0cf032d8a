#include "loader/sanitizers.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <string_view>

#include "base/config.hpp"
#include "loader/elf_file.hpp"
#include "loader/library_search.hpp"
#include "loader/symbol_table.hpp"
#include "process/mpi_library.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

struct Runtime {
  const char* gcc;       // the start of its library's name
  const char* clang;     // likewise
  const char* function;  // that a program defines which contains the runtime; null: it may
  const char* name;
};

// In the order in which they must come. UndefinedBehaviorSanitizer keeps nothing that a copy for each rank
// would spoil.
constexpr Runtime runtimes[] = {
    {"libasan.so", "libclang_rt.asan", "__asan_init", "AddressSanitizer"},
    {"libtsan.so", "libclang_rt.tsan", "__tsan_init", "ThreadSanitizer"},
    {"liblsan.so", "libclang_rt.lsan", "__lsan_init", "LeakSanitizer"},
    {"libubsan.so", "libclang_rt.ubsan", nullptr, "UndefinedBehaviorSanitizer"},
    {"libmsan.so", "libclang_rt.msan", "__msan_init", "MemorySanitizer"},
};

void refuse_static(const ElfFile& program)
{
  const SymbolTable symbols(program);
  for (const Runtime& runtime : runtimes) {
    if (runtime.function == nullptr || symbols.find(SymbolName(runtime.function)) == nullptr) continue;
    const std::string_view function = runtime.function;
    const char* advice = "link it with -shared-libsan, as Ranklet's mpicc does";
    if (function == "__lsan_init") advice = "use -fsanitize=address, which finds leaks too, or gcc";
    if (function == "__msan_init") advice = "use valgrind, or run it with one rank and without mpiexec";
    fail(ErrorClass::arg, "%s contains the runtime of %s, which ranks of one process cannot have each: %s",
         program.path().c_str(), runtime.name, advice);
  }
}

}  // namespace

SanitizerRuntimes sanitizer_runtimes(const std::string& program)
{
  const char* library_path = environment_variable("LD_LIBRARY_PATH");
  const LibrarySearch search(library_path ? library_path : "");
  const auto root = ElfFile::open(program);
  refuse_static(*root);
  std::deque<std::shared_ptr<const ElfFile>> queue{root};
  std::set<std::string> seen;
  std::vector<std::pair<std::size_t, std::string>> found;
  while (!queue.empty()) {
    const auto file = queue.front();
    queue.pop_front();
    for (const std::string& name : file->needed()) {
      if (!seen.insert(name).second || name.starts_with("libc.so") || name.starts_with("ld-linux")) continue;
      if (is_mpi_library(name)) continue;  // has none, or is a build with one
      const std::string path = search.find(name, {file.get(), root.get()});
      if (path.empty()) continue;
      for (std::size_t i = 0; i < std::size(runtimes); ++i)
        if (name.starts_with(runtimes[i].gcc) || name.starts_with(runtimes[i].clang))
          found.emplace_back(i, path);
      queue.push_back(ElfFile::open(path));
    }
  }
  std::sort(found.begin(), found.end());
  SanitizerRuntimes result;
  for (const auto& [index, path] : found) {
    result.libraries.push_back(path);
    if (std::string_view(runtimes[index].function ? runtimes[index].function : "") == "__tsan_init")
      result.threads = true;
  }
  return result;
}

}  // namespace ranklet::loader
