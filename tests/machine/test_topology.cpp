#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include <sched.h>
#include <unistd.h>

#include "machine/topology.hpp"

using namespace ranklet;

namespace {

// A directory tree that looks like /proc/self and /sys/fs/cgroup.
class FakeSystem {
 public:
  FakeSystem()
      : root_(std::filesystem::temp_directory_path() / ("ranklet-cgroup-" + std::to_string(::getpid())))
  {
    std::filesystem::remove_all(root_);
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }

  void file(const std::string& path, const std::string& text)
  {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  double quota() { return cgroup_cpu_quota((root_ / "self").string(), root_.string()); }

 private:
  std::filesystem::path root_;
};

}  // namespace

TEST_CASE("this machine's allowed CPUs are those of the scheduler")
{
  cpu_set_t mask;
  REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
  const Topology& here = Topology::machine();
  CHECK(here.hwthreads() == CPU_COUNT(&mask));
  CHECK(here.cores() >= 1);
  CHECK(here.cores() <= here.hwthreads());
  CHECK(here.usable_cpus() >= 1);
  CHECK(here.objects(Level::machine).size() == 1);
}

TEST_CASE("a thread is pinned")
{
  const Topology& here = Topology::machine();
  CpuSet one;
  one.add(here.allowed().first());
  REQUIRE(here.bind_this_thread(one));
  CHECK(sched_getcpu() == one.first());
  CHECK(here.bind_this_thread(here.allowed()));
}

TEST_CASE("missing levels are what contains them")
{
  const Topology topology{std::string("package:2 core:2 pu:1")};
  CHECK(topology.objects(Level::l3cache).size() == topology.objects(Level::numa).size());
  CHECK(topology.objects(Level::package).size() == 2);
  CHECK(topology.summary().starts_with("2 packages, "));
}

TEST_CASE("quota of cgroup 2: the least of the group and its ancestors")
{
  FakeSystem system;
  system.file("self/cgroup", "0::/user/job\n");
  system.file("self/mountinfo", "35 25 0:30 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  CHECK(system.quota() == 0);
  system.file("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  CHECK(system.quota() == 0);
  system.file("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  CHECK(system.quota() == 1.5);
  system.file("sys/fs/cgroup/user/job/cpu.max", "400000 100000\n");
  CHECK(system.quota() == 1.5);
}

TEST_CASE("quota of cgroup 1 in a container that sees only its own part")
{
  FakeSystem system;
  system.file("self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n");
  system.file("self/mountinfo",
              "30 25 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
              "31 25 0:27 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n");
  system.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  system.file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(system.quota() == 0);
  system.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  CHECK(system.quota() == 2);
}
