// mpicc, mpicxx and mpifort: call the user's compiler with the flags that find mpi.h and the library. One
// program under several names.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "base/config.hpp"
#include "launch/compiler_task.hpp"
#include "launch/install_paths.hpp"
#include "launch/wrapper_children.hpp"
#include "launch/wrapper_modules.hpp"
#include "launch/wrapper_sanitizers.hpp"

namespace ranklet::launch {
namespace {

struct Language {
  const char* name;
  std::array<const char*, 4> variables;  // that name the compiler, the first one set wins
  std::array<const char*, 4> compilers;  // the first one found is the default
  std::string_view compiler_option;      // "-cc=" …
};

constexpr Language c_language = {
    "C", {"MPICC_CC", "MPICH_CC", "OMPI_CC", "I_MPI_CC"}, {"gcc", "cc", "clang", nullptr}, "-cc="};
constexpr Language cxx_language = {
    "C++", {"MPICXX_CXX", "MPICH_CXX", "OMPI_CXX", "I_MPI_CXX"}, {"g++", "c++", "clang++", nullptr}, "-cxx="};
constexpr Language fortran_language = {"Fortran",
                                       {"MPIFORT_FC", "MPICH_FC", "OMPI_FC", "I_MPI_FC"},
                                       {"gfortran", "flang", "f95", nullptr},
                                       "-fc="};

const Language& language_of(std::string_view program)
{
  if (program.find("cxx") != program.npos || program.find("++") != program.npos ||
      program.find("CC") != program.npos)
    return cxx_language;
  return program.starts_with("mpif") ? fortran_language : c_language;
}

Words words_of(std::string_view text)
{
  Words words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// A command may have several words: "ccache clang -m64".
Words default_compiler(const Language& language)
{
  for (const char* const variable : language.variables) {
    const char* const text = environment_variable(variable);
    if (text != nullptr && *text != '\0') return words_of(text);
  }
  for (const char* const compiler : language.compilers)
    if (compiler != nullptr && !path_of(compiler).empty()) return {compiler};
  return {language.compilers[0]};
}

struct Flags {
  Words compile;
  Words link_before;  // directories
  Words link_after;   // libraries, which must follow what uses them
};

bool is_system_directory(const std::string& directory)
{
  return directory == "/usr/include" || directory == "/usr/lib" || directory == "/lib";
}

bool has_fortran(const InstallPaths& paths)
{
  return ::access((paths.fortran_library_dir + "/libmpifort_abi.so").c_str(), R_OK) == 0;
}

bool is_fortran(const Language& language, const InstallPaths& paths)
{
  return &language == &fortran_language && has_fortran(paths);
}

// `modules`: a directory with modules that come before the installed ones.
Flags flags_of(const InstallPaths& paths, const CompilerTask& task, const Language& language,
               const std::string& modules)
{
  Flags flags;
  const bool fortran = is_fortran(language, paths);
  if (!modules.empty()) flags.compile.push_back("-I" + modules);
  if (fortran) flags.compile.push_back("-I" + paths.fortran_include_dir);
  for (const std::string& directory : paths.include_dirs)
    if (!is_system_directory(directory)) flags.compile.push_back("-I" + directory);
  flags.compile.insert(flags.compile.end(), paths.flags.begin(), paths.flags.end());
  flags.link_before = paths.flags;
  // Ranks need position-independent programs; most distributions' compilers make them unasked.
  if (!RANKLET_COMPILER_MAKES_PIE) {
    flags.compile.insert(flags.compile.begin(), "-fPIE");
    if (!task.shared) flags.link_before.insert(flags.link_before.begin(), "-pie");
  }
  if (fortran && paths.fortran_library_dir != paths.library_dir)
    flags.link_after = {"-L" + paths.fortran_library_dir, "-Wl,-rpath," + paths.fortran_library_dir};
  for (const std::string& word : {"-L" + paths.library_dir, "-Wl,-rpath," + paths.library_dir})
    flags.link_after.push_back(word);
  if (fortran) flags.link_after.push_back("-lmpifort_abi");
  flags.link_after.push_back("-lmpi_abi");
  return flags;
}

// As one word of a shell's line.
std::string quoted(const std::string& word)
{
  static constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%^";
  if (!word.empty() && word.find_first_not_of(safe) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string line_of(const Words& words)
{
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

void append(Words& words, const Words& more)
{
  words.insert(words.end(), more.begin(), more.end());
}

Words command_line(const Words& compiler, const Words& arguments, const Flags& flags,
                   const CompilerTask& task)
{
  Words words = compiler;
  if (task.compiles) append(words, flags.compile);
  if (task.links) append(words, flags.link_before);
  append(words, arguments);
  if (task.links) append(words, flags.link_after);
  return words;
}

constexpr const char* usage =
    "%s: calls the %s compiler with what MPI programs need. All arguments are the compiler's, except:\n"
    "  -show, -showme              print the command instead of running it\n"
    "  -showme:compile, -compile_info   the command's part for compiling: -showme:compile prints the flags "
    "alone,\n"
    "  -showme:link, -link_info         -compile_info the compiler too; likewise for linking\n"
    "  -showme:command | incdirs | libdirs | libs | version\n"
    "  %sCOMPILER  or %s=COMPILER in the environment: the compiler to call\n";

// What -show and its kin print; empty if this is none of them.
bool print_information(std::string_view option, const std::string& program, const Language& language,
                       const Words& compiler, const Words& arguments, const InstallPaths& paths)
{
  const CompilerTask task = task_of(arguments);
  const bool fortran = is_fortran(language, paths);
  const std::string modules = fortran ? modules_for(compiler, paths).directory : "";
  const Flags flags = flags_of(paths, task, language, modules);
  std::string text;
  Words link = flags.link_before;
  append(link, flags.link_after);
  if (option == "show" || option == "showme") {
    // Alone it shows the flags for compiling and linking, as MPICH and Open MPI do.
    CompilerTask shown = task;
    if (arguments.empty()) shown.compiles = shown.links = true;
    text = line_of(command_line(compiler, arguments, flags, shown));
  } else if (option == "showme:compile") {
    text = line_of(flags.compile);
  } else if (option == "showme:link") {
    text = line_of(link);
  } else if (option == "compile_info" || option == "compile-info") {
    Words words = compiler;
    append(words, flags.compile);
    append(words, {"-c"});
    text = line_of(words);
  } else if (option == "link_info" || option == "link-info") {
    Words words = compiler;
    append(words, link);
    text = line_of(words);
  } else if (option == "showme:command") {
    text = line_of(compiler);
  } else if (option == "showme:incdirs") {
    Words dirs = paths.include_dirs;
    if (fortran) dirs.insert(dirs.begin(), paths.fortran_include_dir);
    if (!modules.empty()) dirs.insert(dirs.begin(), modules);
    text = line_of(dirs);
  } else if (option == "showme:libdirs") {
    Words dirs = {paths.library_dir};
    if (fortran && paths.fortran_library_dir != paths.library_dir) dirs.push_back(paths.fortran_library_dir);
    text = line_of(dirs);
  } else if (option == "showme:libs") {
    text = fortran ? "mpifort_abi mpi_abi" : "mpi_abi";
  } else if (option == "showme:version") {
    text = program + ": Ranklet " RANKLET_VERSION " (Language: " + language.name + ")";
  } else if (option == "showme:help") {
    std::printf(usage, program.c_str(), language.name, std::string(language.compiler_option).c_str(),
                language.variables[0]);
    return true;
  } else {
    return false;
  }
  std::puts(text.c_str());
  return true;
}

int run_wrapper(const std::string& program, Words arguments)
{
  const Language& language = language_of(program);
  Words compiler = default_compiler(language);
  std::erase_if(arguments, [&](const std::string& word) {
    if (!word.starts_with(language.compiler_option)) return false;
    compiler = words_of(std::string_view(word).substr(language.compiler_option.size()));
    return true;
  });
  if (compiler.empty()) {
    std::fprintf(stderr, "%s: %s names no compiler\n", program.c_str(),
                 std::string(language.compiler_option).c_str());
    return 1;
  }
  const InstallPaths paths = install_paths();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view option = arguments[i];
    if (!option.starts_with("-show") && !option.starts_with("--show") && !option.ends_with("_info") &&
        !option.ends_with("-info"))
      continue;
    option.remove_prefix(option.starts_with("--") ? 2 : 1);
    Words others = arguments;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (print_information(option, program, language, compiler, others, paths)) return 0;
  }

  const CompilerTask task = task_of(arguments);
  if (&language == &fortran_language && task.fortran_source && !has_fortran(paths)) {
    std::fprintf(
        stderr,
        "%s: note: this Ranklet was built without a Fortran compiler; sources that need mpif.h, mpi or "
        "mpi_f08 will not compile\n",
        program.c_str());
  }
  FortranModules modules;
  if (task.fortran_source && is_fortran(language, paths)) modules = modules_for(compiler, paths);
  if (!modules.sentence.empty()) std::fprintf(stderr, "%s: %s\n", program.c_str(), modules.sentence.c_str());
  Flags flags = flags_of(paths, task, language, modules.directory);
  // A build with a sanitizer links its programs as it was linked itself.
  if (task.links && paths.flags.empty()) {
    const SanitizerFlags more = sanitizer_flags(compiler, arguments);
    if (!more.error.empty()) {
      std::fprintf(stderr, "%s: %s\n", program.c_str(), more.error.c_str());
      return 1;
    }
    append(flags.link_before, more.link);
  }
  const Words words = command_line(compiler, arguments, flags, task);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "%s: the compiler %s cannot be started: %s (%s=... or %s... chooses another)\n",
               program.c_str(), pointers[0], std::strerror(errno), language.variables[0],
               std::string(language.compiler_option).c_str());
  return 127;
}

}  // namespace
}  // namespace ranklet::launch

int main(int argc, char** argv)
{
  const std::string name = argv[0];
  return ranklet::launch::run_wrapper(name.substr(name.rfind('/') + 1),
                                      std::vector<std::string>(argv + 1, argv + argc));
}
