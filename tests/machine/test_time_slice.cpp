#include "machine/time_slice.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <thread>

#include <sched.h>
#include <sys/utsname.h>

using namespace ranklet;

namespace {

bool kernel_has_slices()
{
  utsname name{};
  int major = 0, minor = 0;
  REQUIRE(::uname(&name) == 0);
  REQUIRE(std::sscanf(name.release, "%d.%d", &major, &minor) == 2);
  return major > 6 || (major == 6 && minor >= 12);
}

}  // namespace

TEST_CASE("a thread gets short slices where the kernel gives them, and none where its policy has no shares")
{
  bool taken = false, again = false, idle = true;
  std::thread([&] {
    taken = take_short_slices();
    again = take_short_slices();
  }).join();
  CHECK(taken == kernel_has_slices());
  CHECK(again == taken);

  std::thread([&] {
    const sched_param none{};
    CHECK(::sched_setscheduler(0, SCHED_IDLE, &none) == 0);
    idle = take_short_slices();
  }).join();
  CHECK_FALSE(idle);
}
