#include "launch/wrapper_modules.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "base/config.hpp"
#include "launch/wrapper_children.hpp"

namespace ranklet::launch {
namespace {

namespace fs = std::filesystem;

// Each after those that it uses.
constexpr const char* sources[] = {"mpi_f08_types.f90", "mpi_f08_callbacks.f90", "mpi.f90", "mpi_f08.f90"};
constexpr const char* last_module = "mpi_f08.mod";
constexpr const char* installed_do = "installed-modules-do";  // a file that says so

std::string cache_directory()
{
  const char* const cache = environment_variable("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/ranklet/fortran";
  const char* const home = environment_variable("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/ranklet/fortran";
  return "";
}

// A file as it is now.
std::string identity(const std::string& path)
{
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return path;
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

std::string hash(const std::string& text)
{
  std::uint64_t value = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

std::string key_of(const Words& compiler, const InstallPaths& paths)
{
  std::string text = RANKLET_VERSION;
  for (const std::string& word : compiler) text += "\n" + word + "\n" + identity(path_of(word));
  for (const char* const source : sources) text += "\n" + identity(paths.fortran_include_dir + "/" + source);
  return hash(text + "\n" + identity(paths.fortran_include_dir + "/" + last_module));
}

bool is_own_compiler(const Words& compiler)
{
  if (compiler.size() != 1) return false;
  std::error_code error;
  const fs::path path = fs::canonical(path_of(compiler[0]), error);
  return !error && path == RANKLET_FORTRAN_COMPILER;
}

Words command(Words compiler, const std::string& include_dir, const std::string& source)
{
  compiler.insert(compiler.end(), {"-fsyntax-only", "-I" + include_dir, source});
  return compiler;
}

bool reads_installed(const Words& compiler, const InstallPaths& paths, const std::string& directory)
{
  const std::string source = directory + "/use.f90";
  std::ofstream(source) << "program p\n  use mpi_f08\nend program\n";
  return run_child(command(compiler, paths.fortran_include_dir, source), directory).success;
}

// The first line of a compiler's output that tells of an error.
std::string error_in(const std::string& text)
{
  const std::size_t at = text.find("rror: ");
  if (at == text.npos) return "it does not compile their sources";
  const std::size_t begin = at + 6;
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Makes the modules in the directory; what is wrong if that fails.
std::string make_modules(const Words& compiler, const InstallPaths& paths, const std::string& directory)
{
  for (const char* const source : sources) {
    const ChildEnd end =
        run_child(command(compiler, directory, paths.fortran_include_dir + "/" + source), directory);
    if (!end.success) return error_in(end.text);
  }
  return fs::exists(directory + "/" + last_module) ? "" : "it makes no file " + std::string(last_module);
}

}  // namespace

FortranModules modules_for(const Words& compiler, const InstallPaths& paths)
{
  const std::string cache = cache_directory();
  if (cache.empty() || path_of(compiler[0]).empty() || is_own_compiler(compiler)) return {};
  const std::string place = cache + "/" + key_of(compiler, paths);
  if (::access((place + "/" + last_module).c_str(), R_OK) == 0) return {place, ""};
  if (::access((place + "/" + installed_do).c_str(), R_OK) == 0) return {};

  const std::string name = compiler[0].substr(compiler[0].rfind('/') + 1);
  const std::string unfinished = place + "." + std::to_string(::getpid());
  std::error_code error;
  fs::create_directories(unfinished, error);
  if (error) return {};
  FortranModules modules;
  if (reads_installed(compiler, paths, unfinished)) {
    std::ofstream(unfinished + "/" + installed_do).flush();
  } else {
    const std::string wrong = make_modules(compiler, paths, unfinished);
    if (wrong.empty())
      modules = {place, "made the modules mpi and mpi_f08 for " + name + ", once, in " + place};
    else
      modules.sentence = name + " cannot read the modules mpi and mpi_f08, nor make its own: " + wrong;
    if (!wrong.empty()) {
      fs::remove_all(unfinished, error);
      return modules;
    }
  }
  fs::remove(unfinished + "/use.f90", error);
  // A process that comes second finds the place taken, by the same.
  fs::rename(unfinished, place, error);
  if (error) {
    fs::remove_all(unfinished, error);
    modules.sentence.clear();
  }
  return modules;
}

}  // namespace ranklet::launch
