#include "launch/install_paths.hpp"

#include <climits>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace ranklet::launch {

std::string own_directory()
{
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  std::string text(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  text.erase(std::min(text.rfind('/'), text.size()));
  return text;
}

std::string normal_path(const std::string& path)
{
  return std::filesystem::path(path).lexically_normal().string();
}

InstallPaths install_paths()
{
  const std::string here = own_directory();
  InstallPaths paths;
  std::ifstream tree(here + "/ranklet-build-tree");
  if (!tree) {
    paths.host = normal_path(here + "/" RANKLET_LIBEXEC_FROM_BIN "/ranklet-host");
    paths.heap = normal_path(here + "/" RANKLET_LIBEXEC_FROM_BIN "/ranklet-heap.so");
    paths.include_dirs = {normal_path(here + "/" RANKLET_INCLUDE_FROM_BIN)};
    paths.library_dir = normal_path(here + "/" RANKLET_LIB_FROM_BIN);
    paths.fortran_include_dir = paths.include_dirs[0] + "/ranklet/fortran";
    paths.fortran_library_dir = paths.library_dir;
    return paths;
  }
  for (std::string line; std::getline(tree, line);) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos) continue;
    const std::string key = line.substr(0, equals);
    const std::string value = line.substr(equals + 1);
    if (key == "host") paths.host = value;
    if (key == "heap") paths.heap = value;
    if (key == "include") paths.include_dirs.push_back(value);
    if (key == "lib") paths.library_dir = value;
    if (key == "fortran") paths.fortran_include_dir = paths.fortran_library_dir = value;
    if (key == "flags") {
      std::istringstream words(value);
      for (std::string word; words >> word;) paths.flags.push_back(word);
    }
  }
  return paths;
}

std::string program_beside_host(const std::string& name)
{
  // install_paths() holds for what is in bin.
  if (const std::string here = own_directory() + "/" + name; ::access(here.c_str(), X_OK) == 0) return here;
  const std::string host = install_paths().host;
  return host.substr(0, host.rfind('/') + 1) + name;
}

}  // namespace ranklet::launch
