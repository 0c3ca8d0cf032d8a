#include "loader/library_sharing.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "process/mpi_library.hpp"

namespace ranklet::loader {
namespace {

bool is_library(std::string_view soname, std::string_view stem)
{
  return soname.substr(0, stem.size()) == stem &&
         (soname.size() == stem.size() || soname[stem.size()] == '.' || soname[stem.size()] == '-');
}

// The C library's family, which cannot be loaded twice; the unwinder, which has no state that belongs to a
// program; sanitizer runtimes, which watch the whole process.
constexpr std::array always_shared = {"ld-linux-x86-64", "libc",        "libm",      "libpthread", "libdl",
                                      "librt",           "libutil",     "libresolv", "libnsl",     "libanl",
                                      "libmvec",         "libgcc_s",    "libasan",   "libtsan",    "libubsan",
                                      "liblsan",         "libthread_db"};
// Private although the host uses a copy itself: they hold state that a process owns (stream formats, thread
// pools).
constexpr std::array always_private = {"libstdc++", "libgomp", "libgfortran", "libomp"};

}  // namespace

bool is_loaded(const std::string& soname)
{
  void* handle = dlopen(soname.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

bool is_mpi_library_of_host(const std::string& name)
{
  return is_mpi_library(name) && is_loaded(mpi_library);
}

bool is_shared(const std::string& soname, const std::vector<std::string>& asked_for)
{
  const auto matches = [&soname](const auto& stem) { return is_library(soname, stem); };
  if (std::any_of(always_shared.begin(), always_shared.end(), matches)) return true;
  if (std::any_of(asked_for.begin(), asked_for.end(), matches)) return true;
  if (std::any_of(always_private.begin(), always_private.end(), matches)) return false;
  return is_loaded(soname);
}

}  // namespace ranklet::loader
