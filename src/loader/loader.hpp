// Private program images: every rank has its own copy of the program's globals and of its libraries' globals.
//
// How it works, in the order of events. Program analyses an executable once: it checks that the file can be
// run (position-independent, x86-64, not linked to another MPI), finds its libraries, decides which are
// private, lays out their thread-local storage, and binds every relocation to "module m plus offset" or to an
// address in a shared library. An Image is one rank's copy: each private module is registered with the C
// library's dynamic loader through a small file that holds nothing but headers (so that debuggers,
// dl_iterate_phdr, dladdr and C++ exceptions know it), the original file's pages are mapped over it, and the
// bound relocations are applied. No symbol is looked up per rank. run() then does what ld.so and the start
// code do for a process: initialisers, main, exit handlers.
//
// What is shared: libraries that the host has already loaded (the C library's family, our MPI library and
// what that needs), libgcc_s, sanitizer runtimes, and what LoaderOptions::shared_libraries names. Everything
// else is private, libstdc++ as well: std::cout's format flags belong to one process.
//
// What ranks call instead of libc's functions: (1) the table in override.hpp, which only private images see;
// (2) functions that the host executable exports, which come before the shared libraries' ones.
//
// Thread-local storage of private modules lies in the host executable's own TLS block (thread_storage.hpp),
// so the host must contain no other thread_local variable; that of libraries which a program opens later lies
// in blocks of its own unless their code needs it there (thread_blocks.hpp).
//
// Thread safety: a Program may be used from any thread; one Image belongs to the thread that runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "process/process.hpp"
#include "process/thread_storage.hpp"

namespace ranklet::loader {

struct LoaderOptions {
  std::vector<std::string>
      shared_libraries;              // sonames ("libopenblas.so.0") or stems ("libopenblas") to share
  std::vector<std::string> preload;  // paths: loaded privately right after the program, as LD_PRELOAD
};

// What mpiexec must do with a file.
enum class ProgramKind {
  mpi,    // needs libmpi_abi.so.1 or .so.0, directly or through its libraries: ranks of this process
  plain,  // a script, a static program or one without MPI: ordinary processes
};

// Throws Error (ErrorClass::no_such_file, access, arg) that says what to do when the file does not exist,
// cannot be read or executed, is built for another architecture, is linked to another MPI, or needs our
// library but is not position-independent.
ProgramKind classify_program(const std::string& path);
inline bool is_mpi_program(const std::string& path)
{
  return classify_program(path) == ProgramKind::mpi;
}

// The MPI library that an MPI program would find by its own DT_RUNPATH or DT_RPATH, started alone; empty if
// there is none. Ranks always use the host's.
std::string mpi_library_of_program(const std::string& path);

// Of the libraries in a value of LD_PRELOAD those that wrap functions of MPI or call them: ranks load them
// privately, each its own. Others are the host's business, as are names without a file. Throws Error as above
// for one that is linked to another MPI.
std::vector<std::string> mpi_tools(const std::string& ld_preload);

// Throws Error as above unless the file can become private images: like classify_program, but it must be a
// dynamic, position-independent program whether it uses MPI or not.
void check_loadable(const std::string& path);

class ModuleSet;  // module_set.hpp: what is known about the program's modules

// One executable, analysed once. Throws Error as classify_program does, and when a library or a symbol is
// missing. Must be destroyed after its Images, in practice never: threads of a rank may outlive its main.
class Program {
 public:
  explicit Program(const std::string& path, const LoaderOptions& options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& path() const noexcept;
  const std::string& absolute_path() const noexcept { return absolute_path_; }
  // The thread-local storage that one thread of a rank needs, for ensure_thread_storage().
  StorageNeed thread_storage() const;
  ModuleSet& modules() const noexcept { return *modules_; }

 private:
  std::unique_ptr<ModuleSet> modules_;
  std::string absolute_path_;  // without symbolic links
};

// One rank's copy. The constructor maps and relocates (call it on the rank's thread, so that its pages are
// near) and makes process the calling thread's current process. Its memory stays, as threads that the rank
// left behind may still use it, until it is given back.
class Image {
 public:
  Image(Program& program, ProcessState& process);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // Runs initialisers, main, exit handlers and destructors on the calling thread and returns the exit code
  // (0..255). argv[0] is the program's name as it shall see it. environment is a null-terminated array of
  // "NAME=value" or nullptr for the calling process's. Both are copied.
  int run(const std::vector<std::string>& arguments, char* const* environment = nullptr);

  // Behind run(): no thread of the rank is left. That stays so.
  bool has_ended_for_good() const;
  // The next two only then. The keys of thread-specific data that the program has made go, so that the end of
  // the calling thread, as that of a process, calls no destructor of the program.
  void delete_keys() noexcept;
  // Its copies of program and libraries serve further ranks; nobody refers to them any more.
  void give_back() noexcept;

 private:
  ProcessState& process_;
};

}  // namespace ranklet::loader
