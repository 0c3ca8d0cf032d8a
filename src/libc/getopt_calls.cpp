// The functions of getopt(3) that a rank calls.
#include <getopt.h>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

int rank_getopt(int argc, char* const* argv, const char* options)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getopt(argc, argv, options);
  return state->getopt.next(argc, argv, options, nullptr, nullptr, Getopt::Mode::short_only, false);
}

int rank_posix_getopt(int argc, char* const* argv, const char* options)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getopt(argc, argv, options);
  return state->getopt.next(argc, argv, options, nullptr, nullptr, Getopt::Mode::short_only, true);
}

int rank_getopt_long(int argc, char* const* argv, const char* options, const option* longs, int* index)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getopt_long(argc, argv, options, longs, index);
  return state->getopt.next(argc, argv, options, longs, index, Getopt::Mode::long_too, false);
}

int rank_getopt_long_only(int argc, char* const* argv, const char* options, const option* longs, int* index)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::getopt_long_only(argc, argv, options, longs, index);
  return state->getopt.next(argc, argv, options, longs, index, Getopt::Mode::long_only, false);
}

const Override getopt_table[] = {
    override_with("getopt", &rank_getopt),
    override_with("__posix_getopt", &rank_posix_getopt),
    override_with("getopt_long", &rank_getopt_long),
    override_with("getopt_long_only", &rank_getopt_long_only),
};

}  // namespace

std::span<const Override> getopt_overrides()
{
  return getopt_table;
}

}  // namespace ranklet::loader
